//! Prompt files that use the test server beside this file, and what came of their calls.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{Ended, Folder, KilledOnDrop};

/// The test server.
pub fn server_file() -> String {
    format!("{}/tests/support/mcp_server.mjs", env!("CARGO_MANIFEST_DIR"))
}

/// The test server as a prompt file names it, with what is odd about it.
pub fn server(settings: &[&str]) -> Value {
    let mut args = vec![server_file()];
    settings.iter().for_each(|setting| args.extend(["--set".to_owned(), (*setting).to_owned()]));
    json!({ "command": "node", "args": args })
}

/// A call that the mock makes.
pub fn call(tool: &str, args: Value) -> Value {
    json!({ "type": "tool-call", "toolName": tool, "args": args })
}

/// A piece of code that the mock writes.
pub fn code(code: &str) -> Value {
    call("runToolCode", json!({ "code": code }))
}

/// A prompt file whose mock makes these calls, one a step, and whose function is `body`.
pub fn prompt(calls: &[Value], body: &str) -> String {
    let mut mock = calls.to_vec();
    mock.push(json!({ "type": "text", "text": "done" }));
    format!(
        "import {{ z }} from 'zod';\nexport const config = {{ model: 'mock' }};\nexport const mock = {};\n\
         export default async (prompt) => {{ const {{ defMcp, def, defTool, defAgent, defEffect, defMessage, $ }} = prompt;\n{body}\n$`go`; }};\n",
        json!(mock)
    )
}

/// A folder with a prompt file that names the test server `t`.
pub fn folder(settings: &[&str], options: &str, calls: &[Value]) -> Folder {
    Folder::of(&prompt(calls, &format!("defMcp('t', {}, {options});", server(settings))))
}

/// What each call came to, in order: a string as it is, other results as JSON.
pub fn results(ended: &Ended) -> Vec<String> {
    let text = |event: &Value| match &event["output"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    ended.events().iter().filter(|event| event["type"] == "tool-result").map(text).collect()
}

/// Runs and gives what each call came to; the run must go well.
pub fn results_of(folder: &Folder) -> Vec<String> {
    let ended = folder.run("run -f events p.lmt.mjs");
    assert_eq!(ended.code, 0, "{ended:?}");
    results(&ended)
}

/// The test server behind an address.
pub struct HttpServer {
    _process: KilledOnDrop,
    pub url: String,
}

impl HttpServer {
    pub fn start(settings: &[&str]) -> Self {
        let mut command = Command::new("node");
        command.arg(server_file()).arg("--http").stdout(Stdio::piped());
        for setting in settings {
            command.args(["--set", setting]);
        }
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        HttpServer { _process: KilledOnDrop(child), url: url.trim().to_owned() }
    }

    /// A folder with a prompt file that names it `t`.
    pub fn folder(&self, headers: Value, calls: &[Value]) -> Folder {
        let server = json!({ "url": self.url, "headers": headers });
        Folder::of(&prompt(calls, &format!("defMcp('t', {server});")))
    }
}
