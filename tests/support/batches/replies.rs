//! The answers of the models, in the form of each API.

use serde_json::{Value, json};

use super::{Answer, Dialect, Replies};

/// What a request asks.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Empty for an ordinary request.
    pub custom_id: String,
    pub body: Value,
    /// The last text of the user.
    pub text: String,
    /// Whether the conversation ends with results of tools.
    pub has_results: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Text(String),
    /// A text that counts as so many tokens.
    Long(String, u64),
    /// A call of a tool.
    Call(String, Value),
    /// An error with a status and a message.
    Error(u16, String),
    /// No result for this request.
    Missing,
    Expired,
}

/// A line of results. Lines of Anthropic have the same form in one file.
pub(super) struct BatchResult {
    pub line: Option<Value>,
    pub is_error: bool,
    pub is_paid: bool,
}

impl BatchResult {
    fn unpaid(line: Value) -> Self {
        BatchResult { line: Some(line), is_error: true, is_paid: false }
    }

    pub(super) fn missing() -> Self {
        BatchResult { line: None, is_error: false, is_paid: false }
    }

    pub(super) fn expired(id: &str) -> Self {
        BatchResult::unpaid(json!({
            "custom_id": id, "response": null,
            "error": { "code": "batch_expired", "message": "The request was not executed within the window." },
            "end": "expired",
        }))
    }

    pub(super) fn cancelled(id: &str) -> Self {
        BatchResult::unpaid(json!({
            "custom_id": id, "response": null,
            "error": { "code": "batch_cancelled", "message": "The batch was cancelled." }, "end": "canceled",
        }))
    }
}

pub(super) fn result(dialect: Dialect, endpoint: &str, id: &str, body: &Value, replies: &Replies) -> BatchResult {
    let reply = replies(&asked(id, body));
    let whole = |status: u16, body: Value| json!({ "custom_id": id, "response": { "status_code": status, "request_id": id, "body": body }, "error": null });
    match reply {
        Reply::Missing => BatchResult::missing(),
        Reply::Expired => BatchResult::expired(id),
        Reply::Error(status, message) => BatchResult::unpaid(whole(status, error(dialect, status, &message))),
        reply => {
            let line = whole(200, answer(dialect, endpoint, body, &reply));
            BatchResult { line: Some(line), is_error: false, is_paid: true }
        }
    }
}

/// The answer to an ordinary request, as a stream.
pub(super) fn at_once(dialect: Dialect, path: &str, body: &Value, replies: &Replies) -> Answer {
    let reply = replies(&asked("", body));
    if let Reply::Error(status, message) = &reply {
        return Answer { status: *status, ..Answer::json(&error(dialect, *status, message)) };
    }
    let whole = answer(dialect, path, body, &reply);
    let events = match dialect {
        Dialect::Anthropic => claude_events(&whole),
        _ if path.contains("/responses") => {
            vec![json!({ "type": "response.completed", "response": whole }).to_string()]
        }
        Dialect::Google => vec![whole.to_string()],
        _ => vec![whole.to_string(), "[DONE]".to_owned()],
    };
    let body = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    Answer { status: 200, headers: "content-type: text/event-stream\r\n".to_owned(), body }
}

fn claude_events(whole: &Value) -> Vec<String> {
    let mut events = vec![json!({ "type": "message_start", "message": whole })];
    for (index, block) in whole["content"].as_array().into_iter().flatten().enumerate() {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": whole["stop_reason"] });
    events.push(json!({ "type": "message_delta", "delta": delta, "usage": whole["usage"] }));
    events.push(json!({ "type": "message_stop" }));
    events.iter().map(Value::to_string).collect()
}

fn asked(custom_id: &str, body: &Value) -> Asked {
    let turns = ["messages", "input", "contents"].iter().find_map(|key| body[key].as_array());
    let last = turns.and_then(|turns| turns.last()).cloned().unwrap_or_default();
    let is_user = |turn: &&Value| turn["role"] == "user" && !text_of(turn).is_empty();
    let text = turns.into_iter().flatten().rev().find(is_user).map(text_of).unwrap_or_default();
    let is_result = |part: &Value| part["type"] == "tool_result" || part.get("functionResponse").is_some();
    let parts = [&last["content"], &last["parts"]].into_iter().filter_map(Value::as_array).flatten();
    let has_results =
        last["role"] == "tool" || last["type"] == "function_call_output" || parts.into_iter().any(is_result);
    Asked { custom_id: custom_id.to_owned(), body: body.clone(), text, has_results }
}

fn text_of(turn: &Value) -> String {
    let parts = turn["content"].as_array().or(turn["parts"].as_array());
    let texts = parts.into_iter().flatten().filter_map(|part| part["text"].as_str());
    turn["content"].as_str().map_or_else(|| texts.collect(), str::to_owned)
}

fn error(dialect: Dialect, status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    match dialect {
        Dialect::Anthropic => json!({ "type": "error", "error": { "type": kind, "message": message } }),
        Dialect::Google => json!({ "error": { "code": status, "message": message } }),
        _ => json!({ "error": { "type": kind, "message": message } }),
    }
}

/// Each answer has read 100 tokens and written 10, unless the reply says how many.
fn answer(dialect: Dialect, endpoint: &str, body: &Value, reply: &Reply) -> Value {
    let (text, call) = match reply {
        Reply::Call(name, input) => (None, Some((name.as_str(), input))),
        Reply::Text(text) | Reply::Long(text, _) => (Some(text.as_str()), None),
        _ => (Some(""), None),
    };
    let written = if let Reply::Long(_, tokens) = reply { *tokens } else { 10 };
    match dialect {
        Dialect::Anthropic => {
            let text = text.map(|text| json!({ "type": "text", "text": text }));
            let call =
                call.map(|(name, input)| json!({ "type": "tool_use", "id": "toolu_1", "name": name, "input": input }));
            let reason = if call.is_some() { "tool_use" } else { "end_turn" };
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
                "content": text.into_iter().chain(call).collect::<Vec<_>>(), "stop_reason": reason,
                "usage": { "input_tokens": 100, "output_tokens": written, "service_tier": "standard" },
            })
        }
        Dialect::Google => {
            let text = text.map(|text| json!({ "text": text }));
            let call = call.map(|(name, input)| json!({ "functionCall": { "name": name, "args": input } }));
            json!({
                "candidates": [{
                    "content": { "role": "model", "parts": text.into_iter().chain(call).collect::<Vec<_>>() },
                    "finishReason": "STOP",
                }],
                "usageMetadata": { "promptTokenCount": 100, "candidatesTokenCount": written }, "responseId": "r1",
            })
        }
        _ if endpoint.contains("/responses") => {
            let content = |text: &str| json!([{ "type": "output_text", "text": text, "annotations": [] }]);
            let text = text.map(|text| json!({ "type": "message", "id": "msg_1", "content": content(text) }));
            let call = call.map(|(name, input)| {
                json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": input.to_string() })
            });
            json!({
                "id": "resp_1", "object": "response", "status": "completed", "model": body["model"],
                "output": text.into_iter().chain(call).collect::<Vec<_>>(), "service_tier": "default",
                "usage": { "input_tokens": 100, "output_tokens": written },
            })
        }
        _ => {
            let calls = call.map(|(name, input)| {
                json!([{ "id": "call_0001", "type": "function", "function": { "name": name, "arguments": input.to_string() } }])
            });
            let reason = if calls.is_some() { "tool_calls" } else { "stop" };
            let message = json!({ "role": "assistant", "content": text, "tool_calls": calls });
            json!({
                "id": "chat_1", "object": "chat.completion", "model": body["model"],
                "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
                "service_tier": "default", "usage": { "prompt_tokens": 100, "completion_tokens": written },
            })
        }
    }
}
