//! Runs against a server that answers as an OpenAI-compatible provider and records the requests.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::{Folder, Outcome, http};

/// The bodies of the requests.
pub(crate) type Requests = Arc<Mutex<Vec<Value>>>;

/// The event stream of an answer: pieces of text, a call of `look` if `calls`, and usage as (input, cached, output).
pub(crate) fn turn(text: &[&str], calls: bool, usage: Option<(u64, u64, u64)>) -> String {
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

/// Starts a server; returns its base URL and the requests.
pub(crate) fn serve(answer: impl Fn(&Value) -> String + Send + Sync + 'static) -> (String, Requests) {
    let requests = Requests::default();
    let stored = requests.clone();
    let address = http::serve(move |request| {
        let body = request.json();
        let text = answer(&body);
        stored.lock().unwrap().push(body);
        http::response("200 OK", "text/event-stream", &text)
    });
    (format!("http://{address}/v1"), requests)
}

/// Runs a prompt file; the provider `lab` and OpenAI are both at `base_url`.
pub(crate) fn run(script: &str, options: &[&str], base_url: &str, variables: &[(&str, &str)]) -> Outcome {
    let folder = Folder::of(script);
    let mut command = folder.bare_command("run");
    command.args(options).arg("p.lmt.mjs");
    command.env("LAB_API_TYPE", "openai").env("LAB_API_BASE", base_url);
    command.env("OPENAI_API_KEY", "sk-0123456789abcdef").env("OPENAI_BASE_URL", base_url);
    Outcome::of(command.envs(variables.iter().copied()))
}
