//! Messages of chat completions, for OpenAI, Groq and compatible servers.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::{dialect::Dialect, echo::thought_signature};
use crate::wire::{
    cache,
    media::{Media, UnsupportedContent},
    settings::Warnings,
    tool_result_images::ToolResultImages,
    values::{arguments_text, option, parts_of, put},
};
use lmthing_base::chat::{ContentPart, Message, ProviderOptions, Role, ToolInput};

/// Results are text; with `accepts_images`, their images follow in a user message. Without a role for
/// system messages, they are left out.
pub(super) fn messages(
    messages: &[Rc<Message>],
    dialect: &Dialect,
    (system_role, accepts_images): (Option<&str>, bool),
    warnings: &mut Warnings,
) -> Result<Vec<Value>, UnsupportedContent> {
    let mut wire = Vec::with_capacity(messages.len());
    let mut images = ToolResultImages::default();
    for message in messages {
        if message.role != Role::Tool {
            images.send(&mut wire);
        }
        let extra = extra(message.provider_options.as_ref(), dialect);
        match message.role {
            Role::System => {
                if let Some(role) = system_role {
                    let mark = breakpoint(message.provider_options.as_ref(), dialect);
                    let content = match mark {
                        Some(mark) => cache::marked_text("text", &message.plain_text(), mark),
                        None => message.plain_text().into(),
                    };
                    wire.push(with(json!({ "role": role, "content": content }), extra));
                }
            }
            Role::User => wire.push(with(user(message, dialect)?, extra)),
            Role::Assistant => wire.push(with(assistant(message, dialect, warnings), extra)),
            Role::Tool => {
                tool_results(message, &mut wire);
                if accepts_images {
                    images.collect(message);
                }
            }
        }
    }
    images.send(&mut wire);
    Ok(wire)
}

fn user(message: &Message, dialect: &Dialect) -> Result<Value, UnsupportedContent> {
    let parts = parts_of(message);
    let of_message = breakpoint(message.provider_options.as_ref(), dialect);
    if let [ContentPart::Text { text, provider_options }] = &*parts
        && of_message.or_else(|| breakpoint(provider_options.as_ref(), dialect)).is_none()
    {
        let content = json!({ "role": "user", "content": text });
        return Ok(with(content, extra(provider_options.as_ref(), dialect)));
    }
    let mut content = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let (value, options) = match part {
            ContentPart::Text { text, provider_options } => {
                (json!({ "type": "text", "text": text }), provider_options.as_ref())
            }
            part => match Media::of(part) {
                Some(media) => (media_part(&media, index)?, media.options),
                None => continue,
            },
        };
        let mut value = with(value, extra(options, dialect));
        cache::put_breakpoint(&mut value, breakpoint(options, dialect));
        content.push(value);
    }
    if let Some(last) = content.last_mut() {
        cache::put_breakpoint(last, of_message);
    }
    Ok(json!({ "role": "user", "content": content }))
}

fn media_part(media: &Media<'_>, index: usize) -> Result<Value, UnsupportedContent> {
    use crate::wire::media::Source;
    if media.is_image() {
        let mut image = json!({ "url": media.as_url() });
        if let Some(detail) = option(media.options, "openai", "imageDetail") {
            image["detail"] = detail.clone();
        }
        return Ok(json!({ "type": "image_url", "image_url": image }));
    }
    let Source::Base64(data) = media.source else {
        return Err(media.refused("The chat completions API"));
    };
    if let Some(format) = audio_format(&media.media_type) {
        return Ok(json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } }));
    }
    if media.is_pdf() {
        let name = media.filename.map_or_else(|| format!("part-{index}.pdf"), str::to_owned);
        return Ok(json!({ "type": "file", "file": { "filename": name, "file_data": media.as_url() } }));
    }
    let text = media.text_or_refused("The chat completions API")?;
    Ok(json!({ "type": "text", "text": text }))
}

/// The name of an audio format, as compatible servers have more than `wav` and `mp3`.
fn audio_format(media_type: &str) -> Option<&str> {
    let format = media_type.strip_prefix("audio/")?;
    Some(match format.strip_prefix("x-").unwrap_or(format) {
        "mpeg" => "mp3",
        "mp4" => "m4a",
        format => format,
    })
}

fn assistant(message: &Message, dialect: &Dialect, warnings: &mut Warnings) -> Value {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    let (mut details, mut extra) = (None, None);
    let parts = parts_of(message);
    for part in parts.iter() {
        match part {
            ContentPart::Text { text: piece, .. } => text.push_str(piece),
            ContentPart::Reasoning { text: piece, provider_options } => {
                reasoning.push_str(piece);
                let kept = |key: &str| option(provider_options.as_ref(), dialect.name(), key).cloned();
                details = kept("reasoningDetails").or(details);
                extra = kept("extraContent").or(extra);
            }
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed: false, provider_options } => {
                calls.push(tool_call(tool_call_id, tool_name, input, provider_options.as_ref(), dialect));
            }
            ContentPart::Image { .. } | ContentPart::File { .. } => {
                // Assistant messages can contain only text.
                warnings.other("files the model made are not sent back to it");
            }
            // What a provider has run goes back to that provider only.
            ContentPart::ToolCall { .. } | ContentPart::ToolResult { .. } => {}
        }
    }
    let mut wire = Map::new();
    wire.insert("role".into(), "assistant".into());
    wire.insert("content".into(), text.into());
    if let Some(details) = details {
        wire.insert("reasoning_details".into(), details);
    } else if !reasoning.is_empty() {
        match dialect {
            Dialect::Groq => drop(wire.insert("reasoning".into(), reasoning.into())),
            Dialect::Compatible(_) => drop(wire.insert("reasoning_content".into(), reasoning.into())),
            Dialect::OpenAi | Dialect::Mistral => {}
        }
    }
    if !calls.is_empty() {
        wire.insert("tool_calls".into(), calls.into());
    }
    put(&mut wire, "extra_content", extra);
    Value::Object(wire)
}

fn tool_call(id: &str, name: &str, input: &ToolInput, options: Option<&ProviderOptions>, dialect: &Dialect) -> Value {
    let mut call = function_call(id, name, input);
    // Gemini's compatible API requires the signature.
    if let Some(extra) = option(options, dialect.name(), "extraContent") {
        call["extra_content"] = extra.clone();
    } else if let Some(signature) = option(options, dialect.name(), "thoughtSignature") {
        call["extra_content"] = thought_signature(signature);
    }
    call
}

pub(crate) fn function_call(id: &str, name: &str, input: &ToolInput) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments_text(input) } })
}

fn tool_results(message: &Message, wire: &mut Vec<Value>) {
    for part in message.content_parts() {
        if let ContentPart::ToolResult { tool_call_id, output, .. } = part {
            wire.push(json!({ "role": "tool", "tool_call_id": tool_call_id, "content": output.wire_text() }));
        }
    }
}

/// The author's mark for the cache, which only OpenAI has.
fn breakpoint<'a>(options: Option<&'a ProviderOptions>, dialect: &Dialect) -> Option<&'a Value> {
    if *dialect == Dialect::OpenAi { cache::breakpoint(options, &["azure", "openai"]) } else { None }
}

fn extra<'a>(options: Option<&'a ProviderOptions>, dialect: &Dialect) -> Option<&'a Map<String, Value>> {
    if !matches!(dialect, Dialect::Compatible(_)) {
        return None;
    }
    options?.get("openaiCompatible")?.as_object()
}

fn with(mut value: Value, extra: Option<&Map<String, Value>>) -> Value {
    if let (Value::Object(map), Some(extra)) = (&mut value, extra) {
        map.extend(extra.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    value
}
