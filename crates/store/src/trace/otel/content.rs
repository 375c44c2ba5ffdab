//! Messages in the JSON form of the semantic conventions. The data of images and files is left out of traces.

use std::rc::Rc;

use serde_json::{Value, json};

use super::attributes::finish_reason;
use lmthing_base::chat::{Content, ContentPart, FinishReason, Message, Role, ToolSpec};

/// The system message, which is separate from the conversation.
pub(super) fn system(messages: &[Rc<Message>]) -> Option<Value> {
    let first = messages.first().filter(|message| message.role == Role::System)?;
    Some(Value::Array(parts(first)))
}

/// The conversation, without the system message.
pub(super) fn input(messages: &[Rc<Message>]) -> Value {
    let messages = messages.iter().filter(|message| message.role != Role::System);
    messages.map(|message| json!({ "role": message.role.as_str(), "parts": parts(message) })).collect()
}

pub(super) fn output(message: Option<&Message>, finish: FinishReason) -> Value {
    let parts = message.map(parts).unwrap_or_default();
    json!([{ "role": "assistant", "parts": parts, "finish_reason": finish_reason(finish) }])
}

pub(super) fn tools(tools: &[ToolSpec]) -> Value {
    let tool = |tool: &ToolSpec| {
        json!({
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.input_schema,
        })
    };
    tools.iter().map(tool).collect()
}

fn parts(message: &Message) -> Vec<Value> {
    match &message.content {
        Content::Text(text) => vec![json!({ "type": "text", "content": text })],
        Content::Parts(parts) => parts.iter().map(part).collect(),
    }
}

fn part(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text { text, .. } => json!({ "type": "text", "content": text.as_str() }),
        ContentPart::Reasoning { text, .. } => json!({ "type": "reasoning", "content": text.as_str() }),
        ContentPart::Image { image, media_type, .. } => data(image, media_type.as_deref(), "image"),
        ContentPart::File { data: file, media_type, .. } => data(file, Some(media_type), modality(media_type)),
        ContentPart::ToolCall { tool_call_id, tool_name, input, .. } => {
            json!({ "type": "tool_call", "id": tool_call_id, "name": tool_name, "arguments": input.value() })
        }
        ContentPart::ToolResult { tool_call_id, output, .. } => {
            json!({ "type": "tool_call_response", "id": tool_call_id, "response": output.wire_value() })
        }
    }
}

/// The address or the length of an image or file.
fn data(place: &str, media_type: Option<&str>, modality: &str) -> Value {
    if place.starts_with("http://") || place.starts_with("https://") {
        return json!({ "type": "uri", "modality": modality, "mime_type": media_type, "uri": place });
    }
    json!({ "type": "blob", "modality": modality, "mime_type": media_type, "length": place.len() })
}

fn modality(media_type: &str) -> &'static str {
    match media_type.split('/').next() {
        Some("image") => "image",
        Some("video") => "video",
        Some("audio") => "audio",
        _ => "document",
    }
}
