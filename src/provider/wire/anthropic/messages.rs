//! Messages of the Messages API: blocks, merged by role.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use crate::{
    chat::{ContentPart, Message, ProviderOptions, Role},
    provider::wire::{
        media::{Media, Source},
        settings::Warnings,
        values::{arguments_object, option, parts_of},
    },
};

/// A conversation as the service takes it.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub system: Vec<Value>,
    pub messages: Vec<Value>,
}

/// Converts all messages; consecutive user and tool messages merge into one, consecutive assistant messages too.
pub(super) fn convert(
    messages: &[Rc<Message>],
    betas: &mut Vec<&'static str>,
    warnings: &mut Warnings,
) -> Result<Conversation, String> {
    let mut conversation = Conversation::default();
    let mut open: Option<(&'static str, Vec<Value>)> = None;
    for (index, message) in messages.iter().enumerate() {
        let last = index + 1 == messages.len();
        let (role, blocks) = match message.role {
            Role::System => {
                let block = json!({ "type": "text", "text": message.plain_text() });
                let cache = cache_control(message.provider_options.as_ref());
                conversation.system.push(with_cache(block, cache));
                continue;
            }
            Role::User => ("user", user(message, betas)?),
            Role::Tool => ("user", tool_results(message)),
            Role::Assistant => ("assistant", assistant(message, last, warnings)),
        };
        match &mut open {
            Some((open_role, content)) if *open_role == role => content.extend(blocks),
            open => {
                close(open.take(), &mut conversation.messages);
                *open = Some((role, blocks));
            }
        }
    }
    close(open, &mut conversation.messages);
    Ok(conversation)
}

fn close(open: Option<(&'static str, Vec<Value>)>, messages: &mut Vec<Value>) {
    if let Some((role, content)) = open {
        messages.push(json!({ "role": role, "content": content }));
    }
}

/// `cacheControl` of a message, part or tool.
pub(super) fn cache_control(options: Option<&ProviderOptions>) -> Option<&Value> {
    option(options, "anthropic", "cacheControl").or_else(|| option(options, "anthropic", "cache_control"))
}

fn with_cache(mut block: Value, cache: Option<&Value>) -> Value {
    if let (Some(cache), Value::Object(map)) = (cache, &mut block) {
        map.insert("cache_control".into(), cache.clone());
    }
    block
}

/// The part's own mark, or the message's on its last part.
fn cache_of<'a>(part: Option<&'a ProviderOptions>, message: &'a Message, last: bool) -> Option<&'a Value> {
    cache_control(part).or_else(|| if last { cache_control(message.provider_options.as_ref()) } else { None })
}

fn user(message: &Message, betas: &mut Vec<&'static str>) -> Result<Vec<Value>, String> {
    let parts = parts_of(message);
    let mut blocks = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let (block, options) = match part {
            ContentPart::Text { text, provider_options } => {
                (json!({ "type": "text", "text": text }), provider_options.as_ref())
            }
            part => match Media::of(part) {
                Some(media) => (media_block(&media, betas)?, media.options),
                None => continue,
            },
        };
        blocks.push(with_cache(block, cache_of(options, message, last)));
    }
    Ok(blocks)
}

fn media_block(media: &Media<'_>, betas: &mut Vec<&'static str>) -> Result<Value, String> {
    let source = match media.source {
        Source::Url(url) => json!({ "type": "url", "url": url }),
        Source::Base64(data) => json!({ "type": "base64", "media_type": media.media_type, "data": data }),
    };
    if media.is_image() {
        return Ok(json!({ "type": "image", "source": source }));
    }
    let source = if media.is_pdf() {
        if !betas.contains(&"pdfs-2024-09-25") {
            betas.push("pdfs-2024-09-25");
        }
        source
    } else if media.media_type == "text/plain" {
        match media.as_text() {
            Some(text) => json!({ "type": "text", "media_type": "text/plain", "data": text }),
            None => source,
        }
    } else {
        return Err(media.refused("Anthropic"));
    };
    let mut block = json!({ "type": "document", "source": source });
    let title = option(media.options, "anthropic", "title").and_then(Value::as_str).or(media.filename);
    if let Some(title) = title {
        block["title"] = title.into();
    }
    for key in ["context", "citations"] {
        if let Some(value) = option(media.options, "anthropic", key) {
            block[key] = value.clone();
        }
    }
    Ok(block)
}

fn tool_results(message: &Message) -> Vec<Value> {
    let parts = message.content_parts();
    let mut blocks = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let ContentPart::ToolResult { tool_call_id, output, provider_options, .. } = part else { continue };
        let mut block = Map::new();
        block.insert("type".into(), "tool_result".into());
        block.insert("tool_use_id".into(), tool_call_id.clone().into());
        block.insert("content".into(), output.wire_text().into());
        if output.is_error() {
            block.insert("is_error".into(), true.into());
        }
        let cache = cache_of(provider_options.as_ref(), message, index + 1 == parts.len());
        blocks.push(with_cache(Value::Object(block), cache));
    }
    blocks
}

/// `ends` says whether the conversation ends with this message: the service refuses white space at its ends then.
fn assistant(message: &Message, ends: bool, warnings: &mut Warnings) -> Vec<Value> {
    let parts = parts_of(message);
    let mut blocks = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let (block, options) = match part {
            ContentPart::Text { text, provider_options } => {
                let text = if ends && last { text.trim() } else { text };
                (json!({ "type": "text", "text": text }), provider_options.as_ref())
            }
            ContentPart::Reasoning { text, provider_options } => {
                let Some(block) = reasoning(text, provider_options.as_ref()) else {
                    warnings.other("reasoning without a signature is not sent to Anthropic");
                    continue;
                };
                // Thinking blocks must not carry a cache mark.
                blocks.push(block);
                continue;
            }
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_options } => (
                json!({
                    "type": "tool_use",
                    "id": tool_call_id,
                    "name": tool_name,
                    "input": arguments_object(input),
                }),
                provider_options.as_ref(),
            ),
            _ => continue,
        };
        blocks.push(with_cache(block, cache_of(options, message, last)));
    }
    blocks
}

fn reasoning(text: &str, options: Option<&ProviderOptions>) -> Option<Value> {
    if let Some(signature) = option(options, "anthropic", "signature") {
        return Some(json!({ "type": "thinking", "thinking": text, "signature": signature }));
    }
    let data = option(options, "anthropic", "redactedData")?;
    Some(json!({ "type": "redacted_thinking", "data": data }))
}
