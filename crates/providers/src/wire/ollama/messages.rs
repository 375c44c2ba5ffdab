//! Messages in Ollama's form: text, images beside it, arguments as objects, results by the name of their tool.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use crate::wire::{
    media::{Media, Source, UnsupportedContent},
    settings::Warnings,
    values::{arguments_object, parts_of},
};
use lmthing_base::chat::{ContentPart, Message, Role, ToolOutput};

pub(super) fn messages(messages: &[Rc<Message>], warnings: &mut Warnings) -> Result<Vec<Value>, UnsupportedContent> {
    let mut wire = Vec::with_capacity(messages.len());
    // Images of results follow the last result of a step.
    let mut images = Vec::new();
    for message in messages {
        if message.role != Role::Tool {
            wire.append(&mut images);
        }
        match message.role {
            Role::System => wire.push(json!({ "role": "system", "content": message.plain_text() })),
            Role::User => wire.push(user(message)?),
            Role::Assistant => wire.push(assistant(message, warnings)),
            Role::Tool => message.content_parts().iter().for_each(|part| result(part, &mut wire, &mut images)),
        }
    }
    wire.append(&mut images);
    Ok(wire)
}

fn user(message: &Message) -> Result<Value, UnsupportedContent> {
    let (mut text, mut images) = (String::new(), Vec::new());
    for part in parts_of(message).iter() {
        match (part, Media::of(part)) {
            (ContentPart::Text { text: piece, .. }, _) => add_paragraph(&mut text, piece),
            (_, Some(media)) => match (media.source, media.is_image(), text_of(&media)) {
                (Source::Base64(data), true, _) => images.push(data.to_owned()),
                (_, _, Some(content)) => add_paragraph(&mut text, &content),
                _ => return Err(media.refused("Ollama")),
            },
            _ => {}
        }
    }
    Ok(with_images(json!({ "role": "user", "content": text }), images))
}

fn add_paragraph(text: &mut String, piece: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(piece);
}

fn text_of(media: &Media<'_>) -> Option<String> {
    media.as_text().filter(|_| media.is_text())
}

fn with_images(mut message: Value, images: Vec<String>) -> Value {
    if !images.is_empty() {
        message["images"] = images.into();
    }
    message
}

fn assistant(message: &Message, warnings: &mut Warnings) -> Value {
    let (mut text, mut thinking, mut calls) = (String::new(), String::new(), Vec::new());
    for part in parts_of(message).iter() {
        match part {
            ContentPart::Text { text: piece, .. } => text.push_str(piece),
            ContentPart::Reasoning { text: piece, .. } => thinking.push_str(piece),
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed: false, .. } => {
                let function = json!({ "name": tool_name, "arguments": arguments_object(input) });
                calls.push(json!({ "id": tool_call_id, "function": function }));
            }
            ContentPart::Image { .. } | ContentPart::File { .. } => {
                warnings.other("files the model made are not sent back to it");
            }
            // What a provider has run goes back to that provider only.
            ContentPart::ToolCall { .. } | ContentPart::ToolResult { .. } => {}
        }
    }
    let mut wire = Map::new();
    wire.insert("role".into(), "assistant".into());
    wire.insert("content".into(), text.into());
    if !thinking.is_empty() {
        wire.insert("thinking".into(), thinking.into());
    }
    if !calls.is_empty() {
        wire.insert("tool_calls".into(), calls.into());
    }
    Value::Object(wire)
}

fn result(part: &ContentPart, wire: &mut Vec<Value>, images: &mut Vec<Value>) {
    let ContentPart::ToolResult { tool_call_id, tool_name, output, .. } = part else { return };
    let content = output.wire_text();
    // Old versions know the tool's name only, new ones also the id.
    wire.push(json!({ "role": "tool", "content": content, "tool_name": tool_name, "tool_call_id": tool_call_id }));
    let ToolOutput::Content(content) = output else { return };
    let data = content.iter().filter_map(Media::of_result).filter(Media::is_image);
    let data: Vec<String> = data
        .filter_map(|image| match image.source {
            Source::Base64(data) => Some(data.to_owned()),
            Source::Url(_) => None,
        })
        .collect();
    if !data.is_empty() {
        let message = json!({ "role": "user", "content": format!("From the result of {tool_name}:") });
        images.push(with_images(message, data));
    }
}
