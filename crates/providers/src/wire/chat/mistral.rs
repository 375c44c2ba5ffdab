//! Messages of Mistral's chat API.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::messages::function_call;
use crate::wire::{
    media::{Media, Source, UnsupportedContent},
    values::parts_of,
};
use lmthing_base::chat::{ContentPart, Message, Role, ToolOutput, ToolPart};

/// User content is always a list, results contain the tool's name, and a final assistant message is a prefix to
/// continue.
pub(super) fn messages(messages: &[Rc<Message>]) -> Result<Vec<Value>, UnsupportedContent> {
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

fn result_content(output: &ToolOutput) -> Value {
    let is_image = |part: &ToolPart| Media::of_result(part).is_some_and(|media| media.is_image());
    let ToolOutput::Content(parts) = output else { return output.wire_text().into() };
    if !parts.iter().any(is_image) {
        return output.wire_text().into();
    }
    let chunk = |part: &ToolPart| match Media::of_result(part) {
        Some(media) if media.is_image() => json!({ "type": "image_url", "image_url": media.as_url() }),
        _ => json!({ "type": "text", "text": part.text() }),
    };
    parts.iter().map(chunk).collect()
}

fn user(message: &Message) -> Result<Vec<Value>, UnsupportedContent> {
    let mut content = Vec::new();
    for part in parts_of(message).iter() {
        match part {
            ContentPart::Text { text, .. } => content.push(json!({ "type": "text", "text": text })),
            part => {
                let Some(media) = Media::of(part) else { continue };
                content.push(media_chunk(&media)?);
            }
        }
    }
    Ok(content)
}

fn media_chunk(media: &Media<'_>) -> Result<Value, UnsupportedContent> {
    let (Source::Base64(source) | Source::Url(source)) = media.source;
    if media.is_image() {
        return Ok(json!({ "type": "image_url", "image_url": media.as_url() }));
    }
    if media.is_pdf() {
        return Ok(json!({ "type": "document_url", "document_url": media.as_url() }));
    }
    if media.media_type.starts_with("audio/") {
        return Ok(json!({ "type": "input_audio", "input_audio": source }));
    }
    let text = media.text_or_refused("Mistral")?;
    Ok(json!({ "type": "text", "text": text }))
}

/// Reasoning is sent as text, as the API has no field for it.
fn assistant(message: &Message, last: bool) -> Value {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in parts_of(message).iter() {
        match part {
            ContentPart::Text { text: piece, .. } | ContentPart::Reasoning { text: piece, .. } => text.push_str(piece),
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed: false, .. } => {
                calls.push(function_call(tool_call_id, tool_name, input));
            }
            _ => {}
        }
    }
    let mut wire = Map::new();
    wire.insert("role".into(), "assistant".into());
    wire.insert("content".into(), text.into());
    if last {
        // The API refuses a final assistant message without `prefix`.
        wire.insert("prefix".into(), true.into());
    }
    if !calls.is_empty() {
        wire.insert("tool_calls".into(), calls.into());
    }
    Value::Object(wire)
}
