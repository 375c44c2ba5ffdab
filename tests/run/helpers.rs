//! Whole runs against a server that plays a compatible provider and keeps what it was asked.

use std::{
    process::{Command, Output},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::support::http;

/// The requests that came in.
pub type Asked = Arc<Mutex<Vec<Value>>>;

/// A turn of the model: pieces of text, then a call of `look` if it goes on, then its usage (input, cached, output).
pub fn turn(text: &[&str], calls: bool, usage: Option<(u64, u64, u64)>) -> String {
    let mut chunks: Vec<Value> =
        text.iter().map(|piece| json!({ "choices": [{ "delta": { "content": piece } }] })).collect();
    if calls {
        let call =
            json!({ "index": 0, "id": "c", "type": "function", "function": { "name": "look", "arguments": "{}" } });
        chunks.push(json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }));
    }
    let mut last = json!({ "choices": [{ "delta": {}, "finish_reason": if calls { "tool_calls" } else { "stop" } }] });
    if let Some((input, cached, output)) = usage {
        last["usage"] = json!({
            "prompt_tokens": input,
            "completion_tokens": output,
            "prompt_tokens_details": { "cached_tokens": cached },
        });
    }
    chunks.push(last);
    let lines: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    lines + "data: [DONE]\n\n"
}

/// Answers each request; says where, and keeps the requests.
pub fn serve(answer: impl Fn(&Value) -> String + Send + Sync + 'static) -> (String, Asked) {
    let asked = Asked::default();
    let kept = asked.clone();
    let address = http::serve(move |request| {
        let body = request.json();
        let text = answer(&body);
        kept.lock().unwrap().push(body);
        http::response("200 OK", "text/event-stream", &text)
    });
    (format!("http://{address}/v1"), asked)
}

/// Runs a prompt file with options; the provider `lab` is at `base_url`, and so is openai.
pub fn run(script: &str, options: &[&str], base_url: &str, variables: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prompt.lmt.mjs");
    std::fs::write(&path, script).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
    command.arg("run").args(options).arg(&path).current_dir(folder.path()).env_clear();
    command.env("LAB_API_TYPE", "openai").env("LAB_API_BASE", base_url);
    command.env("OPENAI_API_KEY", "sk-0123456789abcdef").env("OPENAI_BASE_URL", base_url);
    command.envs(variables.iter().copied());
    command.output().unwrap()
}

/// What was printed on standard error.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What was printed on standard output.
pub fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
