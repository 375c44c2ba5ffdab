//! The `input` of the Responses API: messages, and references to stored items.

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value, json};

use super::items;
use crate::wire::{
    cache,
    media::{Media, Source, UnsupportedContent},
    settings::Warnings,
    values::{arguments_text, option, parts_of},
};
use lmthing_base::chat::{ContentPart, Message, ProviderOptions, Role, ToolOutput, ToolPart};

pub(super) struct Input<'a> {
    /// The role of system messages; without one they are left out.
    pub system_role: Option<&'static str>,
    pub store: bool,
    pub option_names: &'a [&'a str],
    pub warnings: &'a mut Warnings,
}

impl Input<'_> {
    pub(super) fn items(mut self, messages: &[Rc<Message>]) -> Result<Vec<Value>, UnsupportedContent> {
        let mut items = Vec::with_capacity(messages.len());
        for message in messages {
            match message.role {
                Role::System => {
                    let mark = cache::breakpoint(message.provider_options.as_ref(), self.option_names);
                    let content = match mark {
                        Some(mark) => cache::marked_text("input_text", &message.plain_text(), mark),
                        None => message.plain_text().into(),
                    };
                    items.extend(self.system_role.map(|role| json!({ "role": role, "content": content })));
                }
                Role::User => items.push(json!({ "role": "user", "content": self.user(message)? })),
                Role::Assistant => self.assistant(message, &mut items),
                Role::Tool => self.tool_results(message, &mut items),
            }
        }
        Ok(items)
    }

    fn option<'v>(&self, options: Option<&'v ProviderOptions>, key: &str) -> Option<&'v Value> {
        self.option_names.iter().find_map(|name| option(options, name, key))
    }

    fn user(&self, message: &Message) -> Result<Vec<Value>, UnsupportedContent> {
        let mut content = Vec::new();
        for (index, part) in parts_of(message).iter().enumerate() {
            let (mut item, options) = match part {
                ContentPart::Text { text, provider_options } => {
                    (json!({ "type": "input_text", "text": text }), provider_options.as_ref())
                }
                part => match Media::of(part) {
                    Some(media) => (self.media(&media, index)?, media.options),
                    None => continue,
                },
            };
            cache::put_breakpoint(&mut item, cache::breakpoint(options, self.option_names));
            content.push(item);
        }
        if let Some(last) = content.last_mut() {
            cache::put_breakpoint(last, cache::breakpoint(message.provider_options.as_ref(), self.option_names));
        }
        Ok(content)
    }

    fn media(&self, media: &Media<'_>, index: usize) -> Result<Value, UnsupportedContent> {
        let file_id = match media.source {
            Source::Base64(text) if text.starts_with("file-") || text.starts_with("assistant-") => Some(text),
            _ => None,
        };
        if media.is_image() {
            let mut item = match file_id {
                Some(id) => json!({ "type": "input_image", "file_id": id }),
                None => json!({ "type": "input_image", "image_url": media.as_url() }),
            };
            if let Some(detail) = self.option(media.options, "imageDetail") {
                item["detail"] = detail.clone();
            }
            return Ok(item);
        }
        if let Some(text) = media.as_text().filter(|_| media.is_text()) {
            return Ok(json!({ "type": "input_text", "text": text }));
        }
        let provider = self.option_names[0];
        if media.media_type.starts_with("audio/") && ["openai", "azure"].contains(&provider) {
            let instead = format!("; in a prompt file, {provider}.chat('MODEL') takes WAV and MP3");
            return Err(media.refused_with("The Responses API", &instead));
        }
        let ending = media.document_ending().ok_or_else(|| media.refused("The Responses API"))?;
        Ok(match (file_id, media.source) {
            (Some(id), _) => json!({ "type": "input_file", "file_id": id }),
            (None, Source::Url(url)) => json!({ "type": "input_file", "file_url": url }),
            (None, Source::Base64(_)) => {
                let filename = media.filename.map_or_else(|| format!("part-{index}.{ending}"), str::to_owned);
                json!({ "type": "input_file", "filename": filename, "file_data": media.as_url() })
            }
        })
    }

    fn assistant(&mut self, message: &Message, wire: &mut Vec<Value>) {
        // The index in `wire` of each reasoning item, whose summary parts are separate.
        let mut reasoning_items: HashMap<String, usize> = HashMap::new();
        for part in parts_of(message).iter() {
            match part {
                ContentPart::Text { text, provider_options } => {
                    let options = provider_options.as_ref();
                    wire.push(self.item(options, || {
                        let mut content = json!({ "type": "output_text", "text": text });
                        if let Some(annotations) = option(options, self.option_names[0], "annotations") {
                            content["annotations"] = annotations.clone();
                        }
                        json!({ "role": "assistant", "content": [content] })
                    }));
                }
                // Items of another provider are unknown to this one.
                ContentPart::ToolCall { provider_executed: true, provider_options, .. } => {
                    let item = option(provider_options.as_ref(), self.option_names[0], "item");
                    wire.extend(item.and_then(|item| items::sent_back(item, self.store)));
                }
                ContentPart::ToolCall {
                    tool_call_id,
                    tool_name,
                    input,
                    provider_executed: false,
                    provider_options,
                } => {
                    wire.push(self.item(provider_options.as_ref(), || {
                        json!({
                            "type": "function_call",
                            "call_id": tool_call_id,
                            "name": tool_name,
                            "arguments": arguments_text(input),
                        })
                    }));
                }
                ContentPart::Reasoning { text, provider_options } => {
                    self.reasoning(text, provider_options.as_ref(), &mut reasoning_items, wire);
                }
                _ => {}
            }
        }
    }

    fn item(&self, options: Option<&ProviderOptions>, whole: impl FnOnce() -> Value) -> Value {
        match self.option(options, "itemId") {
            Some(id) if self.store => json!({ "type": "item_reference", "id": id }),
            Some(id) => {
                let mut item = whole();
                item["id"] = id.clone();
                item
            }
            None => whole(),
        }
    }

    fn reasoning(
        &mut self,
        text: &str,
        options: Option<&ProviderOptions>,
        known: &mut HashMap<String, usize>,
        items: &mut Vec<Value>,
    ) {
        // Without an id, it comes from another model.
        let Some(id) = self.option(options, "itemId").and_then(Value::as_str) else {
            self.warnings.other("reasoning of another provider is not sent to OpenAI");
            return;
        };
        if self.store {
            if known.insert(id.to_owned(), items.len()).is_none() {
                items.push(json!({ "type": "item_reference", "id": id }));
            }
            return;
        }
        let encrypted = self.option(options, "reasoningEncryptedContent");
        let summary = (!text.is_empty()).then(|| json!({ "type": "summary_text", "text": text }));
        let index = *known.entry(id.to_owned()).or_insert_with(|| {
            let mut item = Map::new();
            item.insert("type".into(), "reasoning".into());
            item.insert("id".into(), id.into());
            item.insert("summary".into(), json!([]));
            items.push(Value::Object(item));
            items.len() - 1
        });
        let Some(Value::Object(item)) = items.get_mut(index) else { return };
        if let (Some(Value::Array(list)), Some(summary)) = (item.get_mut("summary"), summary) {
            list.push(summary);
        }
        if let Some(encrypted) = encrypted {
            item.insert("encrypted_content".into(), encrypted.clone());
        }
    }
}

impl Input<'_> {
    fn tool_results(&self, message: &Message, items: &mut Vec<Value>) {
        let of_message = cache::breakpoint(message.provider_options.as_ref(), self.option_names);
        for part in message.content_parts() {
            let ContentPart::ToolResult { tool_call_id, output, provider_options, .. } = part else { continue };
            let mark = cache::breakpoint(provider_options.as_ref(), self.option_names).or(of_message);
            let mut content = result_content(output);
            match (&mut content, mark) {
                (Value::String(text), Some(mark)) => content = cache::marked_text("input_text", text, mark),
                (Value::Array(parts), mark) => {
                    parts.last_mut().into_iter().for_each(|part| cache::put_breakpoint(part, mark));
                }
                _ => {}
            }
            items.push(json!({ "type": "function_call_output", "call_id": tool_call_id, "output": content }));
        }
    }
}

fn result_content(output: &ToolOutput) -> Value {
    let ToolOutput::Content(parts) = output else { return output.wire_text().into() };
    let item = |part: &ToolPart| match Media::of_result(part) {
        Some(media) if media.is_image() => json!({ "type": "input_image", "image_url": media.as_url() }),
        _ => json!({ "type": "input_text", "text": part.text() }),
    };
    parts.iter().map(item).collect()
}
