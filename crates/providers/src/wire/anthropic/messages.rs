//! Messages and blocks of the Messages API.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::unsigned::SERVER;
use crate::wire::{
    blocks::{self, BlockFormat, Conversation},
    media::{Media, Source, UnsupportedContent},
    provider_calls,
    settings::Warnings,
    values::{arguments_object, option},
};
use lmthing_base::chat::{ContentPart, Message, ProviderOptions, ToolInput, ToolOutput, ToolPart};

pub(super) fn convert(
    messages: &[Rc<Message>],
    send_reasoning: bool,
    betas: &mut Vec<&'static str>,
    warnings: &mut Warnings,
) -> Result<Conversation, UnsupportedContent> {
    blocks::conversation(messages, &mut MessagesBlocks { send_reasoning, betas, warnings })
}

pub(super) fn cache_control(options: Option<&ProviderOptions>) -> Option<&Value> {
    option(options, "anthropic", "cacheControl").or_else(|| option(options, "anthropic", "cache_control"))
}

struct MessagesBlocks<'a> {
    send_reasoning: bool,
    betas: &'a mut Vec<&'static str>,
    warnings: &'a mut Warnings,
}

fn result_content(output: &ToolOutput) -> Value {
    let ToolOutput::Content(parts) = output else { return output.wire_text().into() };
    let block = |part: &ToolPart| match (part, Media::of_result(part)) {
        (ToolPart::Media { data, media_type }, Some(media)) if media.is_image() => {
            let source = json!({ "type": "base64", "media_type": media_type, "data": data });
            json!({ "type": "image", "source": source })
        }
        (part, _) => json!({ "type": "text", "text": part.text() }),
    };
    parts.iter().map(block).collect()
}

impl BlockFormat for MessagesBlocks<'_> {
    const TAKES_BLANK_TEXT: bool = true;

    fn text(&self, text: &str) -> Value {
        json!({ "type": "text", "text": text })
    }

    fn answer_text(&self, text: &str, options: Option<&ProviderOptions>) -> Value {
        let mut block = self.text(text);
        if let Some(citations) = option(options, "anthropic", "citations") {
            block["citations"] = citations.clone();
        }
        block
    }

    fn own_block(&self, part: &ContentPart) -> Option<Value> {
        provider_calls::block_of(part, "anthropic")
    }

    fn media(&mut self, media: &Media<'_>) -> Result<Value, UnsupportedContent> {
        let source = match media.source {
            Source::Url(url) => json!({ "type": "url", "url": url }),
            Source::Base64(data) => json!({ "type": "base64", "media_type": media.media_type, "data": data }),
        };
        if media.is_image() {
            return Ok(json!({ "type": "image", "source": source }));
        }
        let source = if media.is_pdf() {
            if !self.betas.contains(&"pdfs-2024-09-25") {
                self.betas.push("pdfs-2024-09-25");
            }
            source
        } else if let Some(text) = media.as_text().filter(|_| media.is_text()) {
            json!({ "type": "text", "media_type": "text/plain", "data": text })
        } else if media.media_type == "text/plain" {
            source
        } else {
            return Err(media.refused("Anthropic"));
        };
        Ok(document(source, media))
    }

    fn reasoning(&mut self, text: &str, _ends: bool, options: Option<&ProviderOptions>) -> Option<Value> {
        if !self.send_reasoning {
            return None;
        }
        if let Some(signature) = option(options, "anthropic", "signature") {
            let mut block = json!({ "type": "thinking", "thinking": text, "signature": signature });
            if let Some(server) = option(options, "anthropic", SERVER) {
                block[SERVER] = server.clone();
            }
            return Some(block);
        }
        let Some(data) = option(options, "anthropic", "redactedData") else {
            self.warnings.other("reasoning without a signature is not sent to Anthropic");
            return None;
        };
        Some(json!({ "type": "redacted_thinking", "data": data }))
    }

    fn tool_call(&self, id: &str, name: &str, input: &ToolInput) -> Value {
        json!({ "type": "tool_use", "id": id, "name": name, "input": arguments_object(input) })
    }

    fn tool_result(&self, id: &str, output: &ToolOutput) -> Value {
        let mut block = Map::new();
        block.insert("type".into(), "tool_result".into());
        block.insert("tool_use_id".into(), id.into());
        block.insert("content".into(), result_content(output));
        if output.is_error() {
            block.insert("is_error".into(), true.into());
        }
        Value::Object(block)
    }

    fn add(
        &self,
        blocks: &mut Vec<Value>,
        block: Option<Value>,
        part: Option<&ProviderOptions>,
        message: Option<&ProviderOptions>,
    ) {
        let Some(mut block) = block else { return };
        let cache = cache_control(part).or_else(|| cache_control(message));
        // Thinking blocks must not have cache marks.
        if let Some(cache) = cache.filter(|_| block["type"] != "thinking" && block["type"] != "redacted_thinking") {
            block["cache_control"] = cache.clone();
        }
        blocks.push(block);
    }
}

fn document(source: Value, media: &Media<'_>) -> Value {
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
    block
}
