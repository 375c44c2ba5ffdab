//! Prompt files that use the MCP server `mcp_server.mjs`, and the results of their calls.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{Folder, KilledOnDrop, Outcome};

pub(crate) fn server_file() -> String {
    format!("{}/tests/support/mcp_server.mjs", env!("CARGO_MANIFEST_DIR"))
}

/// The definition of the test server in a prompt file. `settings` select its faults and features.
pub(crate) fn server(settings: &[&str]) -> Value {
    let mut args = vec![server_file()];
    settings.iter().for_each(|setting| args.extend(["--set".to_owned(), (*setting).to_owned()]));
    json!({ "command": "node", "args": args })
}

/// A tool call of the mock.
pub(crate) fn call(tool: &str, args: Value) -> Value {
    json!({ "type": "tool-call", "toolName": tool, "args": args })
}

/// A call of the mock that runs code.
pub(crate) fn code(code: &str) -> Value {
    call("runToolCode", json!({ "code": code }))
}

/// A prompt file whose mock makes these calls, one a step, and whose function is `body`.
pub(crate) fn prompt(calls: &[Value], body: &str) -> String {
    let mut mock = calls.to_vec();
    mock.push(json!({ "type": "text", "text": "done" }));
    format!(
        "import {{ z }} from 'zod';\nexport const config = {{ model: 'mock' }};\nexport const mock = {};\n\
         export default async (prompt) => {{ const {{ defMcp, def, defTool, defAgent, defEffect, defMessage, $ }} = prompt;\n{body}\n$`go`; }};\n",
        json!(mock)
    )
}

/// A folder with a prompt file that names the test server `t`.
pub(crate) fn folder(settings: &[&str], options: &str, calls: &[Value]) -> Folder {
    Folder::of(&prompt(calls, &format!("defMcp('t', {}, {options});", server(settings))))
}

/// The result of each call, in order: strings as they are, other results as JSON.
pub(crate) fn results(outcome: &Outcome) -> Vec<String> {
    let text = |event: &Value| match &event["output"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    outcome.events().iter().filter(|event| event["type"] == "tool-result").map(text).collect()
}

/// Runs `p.lmt.mjs`, which must succeed; returns the result of each call.
pub(crate) fn results_of(folder: &Folder) -> Vec<String> {
    let outcome = folder.run("run -f events p.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    results(&outcome)
}

/// The test server over HTTP.
pub(crate) struct HttpServer {
    _process: KilledOnDrop,
    pub url: String,
}

impl HttpServer {
    pub(crate) fn start(settings: &[&str]) -> Self {
        let mut command = Command::new("node");
        command.arg(server_file()).arg("--http");
        for setting in settings {
            command.args(["--set", setting]);
        }
        Self::start_program(command)
    }

    /// A program that prints its address.
    pub(crate) fn start_program(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        HttpServer { _process: KilledOnDrop(child), url: url.trim().to_owned() }
    }

    /// A folder with a prompt file that names it `t`.
    pub(crate) fn folder(&self, headers: Value, calls: &[Value]) -> Folder {
        let server = json!({ "url": self.url, "headers": headers });
        Folder::of(&prompt(calls, &format!("defMcp('t', {server});")))
    }
}
