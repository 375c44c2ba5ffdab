//! Requests as JSON, for recordings and comparisons.

use serde_json::{Value, json};

use lmthing_base::chat::ModelRequest;

pub(super) fn request_to_json(request: &ModelRequest) -> Value {
    let messages: Vec<Value> =
        request.messages.iter().map(|message| serde_json::to_value(&**message).unwrap_or_default()).collect();
    json!({
        "messages": messages,
        "tools": serde_json::to_value(&request.tools).unwrap_or_default(),
        "settings": request.settings.to_json(),
    })
}
