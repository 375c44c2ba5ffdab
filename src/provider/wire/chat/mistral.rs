//! Mistral's variation of chat messages.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::messages::function_call;
use crate::{
    chat::{ContentPart, Message, Role, ToolOutput, ToolPart},
    provider::wire::{media::Media, values::parts_of},
};

/// The `messages` of the body: user content is always a list, results carry the tool's name, and an assistant message
/// at the very end of the conversation is a prefix the model continues.
pub(super) fn messages(messages: &[Rc<Message>]) -> Result<Vec<Value>, String> {
    let mut wire = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate() {
        match message.role {
            Role::System => wire.push(json!({ "role": "system", "content": message.plain_text() })),
            Role::User => wire.push(json!({ "role": "user", "content": user(message)? })),
            Role::Assistant => wire.push(assistant(message, index + 1 == messages.len())),
            Role::Tool => {
                for part in message.content_parts() {
                    if let ContentPart::ToolResult { tool_call_id, tool_name, output, .. } = part {
                        wire.push(json!({
                            "role": "tool",
                            "name": tool_name,
                            "tool_call_id": tool_call_id,
                            "content": result_content(output),
                        }));
                    }
                }
            }
        }
    }
    Ok(wire)
}

/// Text, or chunks where there are pictures: a message of the user could not stand behind a result.
fn result_content(output: &ToolOutput) -> Value {
    let is_picture = |part: &ToolPart| Media::of_result(part).is_some_and(|media| media.is_image());
    let ToolOutput::Content(parts) = output else { return output.wire_text().into() };
    if !parts.iter().any(is_picture) {
        return output.wire_text().into();
    }
    let chunk = |part: &ToolPart| match Media::of_result(part) {
        Some(media) if media.is_image() => json!({ "type": "image_url", "image_url": media.as_url() }),
        _ => json!({ "type": "text", "text": part.text() }),
    };
    parts.iter().map(chunk).collect()
}

fn user(message: &Message) -> Result<Vec<Value>, String> {
    let mut content = Vec::new();
    for part in parts_of(message).iter() {
        match part {
            ContentPart::Text { text, .. } => content.push(json!({ "type": "text", "text": text })),
            part => {
                let Some(media) = Media::of(part) else { continue };
                if media.is_image() {
                    content.push(json!({ "type": "image_url", "image_url": media.as_url() }));
                } else if media.is_pdf() {
                    content.push(json!({ "type": "document_url", "document_url": media.as_url() }));
                } else {
                    return Err(media.refused("Mistral"));
                }
            }
        }
    }
    Ok(content)
}

/// Reasoning is joined with the text, in order: the API has no place of its own for it.
fn assistant(message: &Message, last: bool) -> Value {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in parts_of(message).iter() {
        match part {
            ContentPart::Text { text: piece, .. } | ContentPart::Reasoning { text: piece, .. } => text.push_str(piece),
            ContentPart::ToolCall { tool_call_id, tool_name, input, .. } => {
                calls.push(function_call(tool_call_id, tool_name, input));
            }
            _ => {}
        }
    }
    let mut wire = Map::new();
    wire.insert("role".into(), "assistant".into());
    wire.insert("content".into(), text.into());
    if last {
        // Without it the API refuses a conversation that ends with the assistant.
        wire.insert("prefix".into(), true.into());
    }
    if !calls.is_empty() {
        wire.insert("tool_calls".into(), calls.into());
    }
    Value::Object(wire)
}
