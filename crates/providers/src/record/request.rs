//! Requests as JSON, for recordings and comparisons.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use lmthing_base::chat::{Message, ModelRequest, ToolSpec};

pub(super) fn request_to_json(request: &ModelRequest) -> Value {
    json_of_request(&request.messages, &request.tools, &request.settings.to_json())
}

/// `settings` by name.
pub(super) fn json_of_request(messages: &[Rc<Message>], tools: &[ToolSpec], settings: &Map<String, Value>) -> Value {
    let messages: Vec<Value> =
        messages.iter().map(|message| serde_json::to_value(&**message).unwrap_or_default()).collect();
    json!({
        "messages": messages,
        "tools": serde_json::to_value(tools).unwrap_or_default(),
        "settings": settings,
    })
}
