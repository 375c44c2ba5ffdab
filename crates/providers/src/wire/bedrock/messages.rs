//! Messages and blocks of ConverseStream.

use std::{collections::HashSet, rc::Rc};

use serde_json::{Value, json};

use crate::wire::{
    blocks::{self, BlockFormat, Conversation},
    media::{Media, Source, UnsupportedContent},
    settings::Warnings,
    values::{arguments_object, option},
};
use lmthing_base::chat::{ContentPart, Message, ProviderOptions, ToolInput, ToolOutput, ToolPart};

/// Without active tools, the service refuses tool calls and results.
pub(super) fn convert(
    messages: &[Rc<Message>],
    has_tools: bool,
    warnings: &mut Warnings,
) -> Result<Conversation, UnsupportedContent> {
    let kept = if has_tools { messages.to_vec() } else { without_tool_parts(messages, warnings) };
    blocks::conversation(&kept, &mut ConverseBlocks::default())
}

fn without_tool_parts(messages: &[Rc<Message>], warnings: &mut Warnings) -> Vec<Rc<Message>> {
    let is_tool = |part: &ContentPart| matches!(part, ContentPart::ToolCall { .. } | ContentPart::ToolResult { .. });
    let any = messages.iter().any(|message| message.content_parts().iter().any(is_tool));
    if !any {
        return messages.to_vec();
    }
    warnings.other("tool calls and results were removed: Bedrock takes them only together with active tools");
    messages
        .iter()
        .filter_map(|message| {
            if !message.content_parts().iter().any(is_tool) {
                return Some(message.clone());
            }
            let parts: Vec<ContentPart> =
                message.content_parts().iter().filter(|part| !is_tool(part)).cloned().collect();
            let mut stripped = Message::parts(message.role, parts);
            stripped.provider_options = message.provider_options.clone();
            (!stripped.content_parts().is_empty()).then(|| Rc::new(stripped))
        })
        .collect()
}

#[derive(Default)]
struct ConverseBlocks {
    /// Names of the documents of a request must differ.
    names: HashSet<String>,
}

impl ConverseBlocks {
    fn document_name(&mut self, filename: Option<&str>) -> String {
        let name = filename.map(document_name).filter(|name| name.contains(|it: char| it.is_ascii_alphanumeric()));
        let name = name.unwrap_or_else(|| format!("document-{}", self.names.len() + 1));
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.names.contains(name));
        let free = free.unwrap_or(name);
        self.names.insert(free.clone());
        free
    }
}

fn result_content(output: &ToolOutput) -> Value {
    let ToolOutput::Content(parts) = output else { return json!([{ "text": output.wire_text() }]) };
    let block = |part: &ToolPart| match part {
        ToolPart::Media { data, media_type } if image_format(media_type).is_some() => {
            json!({ "image": { "format": image_format(media_type), "source": { "bytes": data } } })
        }
        part => json!({ "text": part.text() }),
    };
    parts.iter().map(block).collect()
}

impl BlockFormat for ConverseBlocks {
    const TAKES_BLANK_TEXT: bool = false;

    fn text(&self, text: &str) -> Value {
        json!({ "text": text })
    }

    fn media(&mut self, media: &Media<'_>) -> Result<Value, UnsupportedContent> {
        let refused = || media.refused("Bedrock");
        let Source::Base64(data) = media.source else { return Err(refused()) };
        let source = json!({ "bytes": data });
        if media.is_image() {
            let format = image_format(&media.media_type).ok_or_else(refused)?;
            return Ok(json!({ "image": { "format": format, "source": source } }));
        }
        let parts = media.media_type.split_once('/');
        if let Some((kind, format)) = parts.filter(|(kind, _)| ["audio", "video"].contains(kind)) {
            let known = MEDIA_FORMATS.iter().find(|(name, _)| *name == media.media_type);
            let format = known.map_or(format, |(_, format)| format);
            return Ok(json!({ kind: { "format": format, "source": source } }));
        }
        let format = document_format(&media.media_type).ok_or_else(refused)?;
        let name = self.document_name(media.filename);
        Ok(json!({ "document": { "format": format, "name": name, "source": source } }))
    }

    /// Only reasoning with a signature or encrypted data can be sent back.
    fn reasoning(&mut self, text: &str, ends: bool, options: Option<&ProviderOptions>) -> Option<Value> {
        if let Some(signature) = option(options, "bedrock", "signature") {
            let text = if ends { text.trim() } else { text };
            let text = json!({ "text": text, "signature": signature });
            return Some(json!({ "reasoningContent": { "reasoningText": text } }));
        }
        let data = option(options, "bedrock", "redactedData")?;
        Some(json!({ "reasoningContent": { "redactedReasoning": { "data": data } } }))
    }

    fn tool_call(&self, id: &str, name: &str, input: &ToolInput) -> Value {
        json!({ "toolUse": { "toolUseId": id, "name": name, "input": arguments_object(input) } })
    }

    fn tool_result(&self, id: &str, output: &ToolOutput) -> Value {
        json!({ "toolResult": { "toolUseId": id, "content": result_content(output) } })
    }

    fn add(
        &self,
        blocks: &mut Vec<Value>,
        block: Option<Value>,
        part: Option<&ProviderOptions>,
        _message: Option<&ProviderOptions>,
    ) {
        blocks.extend(block);
        blocks.extend(cache_point(part));
    }

    fn end(&self, blocks: &mut Vec<Value>, message: Option<&ProviderOptions>) {
        blocks.extend(cache_point(message));
    }
}

pub(super) fn cache_point(options: Option<&ProviderOptions>) -> Option<Value> {
    option(options, "bedrock", "cachePoint").map(|point| json!({ "cachePoint": point }))
}

/// Formats of sound and video whose names are not those of their media types.
const MEDIA_FORMATS: [(&str, &str); 7] = [
    ("audio/mpeg", "mp3"),
    ("audio/x-matroska", "mka"),
    ("video/3gpp", "three_gp"),
    ("video/quicktime", "mov"),
    ("video/x-flv", "flv"),
    ("video/x-matroska", "mkv"),
    ("video/x-ms-wmv", "wmv"),
];

fn image_format(media_type: &str) -> Option<&'static str> {
    Some(match media_type {
        "image/png" => "png",
        "image/jpeg" | "image/jpg" => "jpeg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        _ => return None,
    })
}

/// The name of a file without what names of documents must not contain, such as dots.
fn document_name(filename: &str) -> String {
    let name = filename.rsplit_once('.').map_or(filename, |(name, _)| name);
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || " -()[]".contains(character);
    let name: String = name.chars().map(|character| if is_allowed(character) { character } else { '-' }).collect();
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn document_format(media_type: &str) -> Option<&'static str> {
    Some(match media_type {
        "application/pdf" => "pdf",
        "text/csv" => "csv",
        "application/msword" => "doc",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.ms-excel" => "xls",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "text/html" => "html",
        "text/plain" => "txt",
        "text/markdown" => "md",
        "application/json" => "txt",
        text if text.starts_with("text/") => "txt",
        _ => return None,
    })
}
