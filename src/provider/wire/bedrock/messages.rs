//! Messages of ConverseStream: content blocks, merged by role.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::{
    chat::{ContentPart, Message, ProviderOptions, Role},
    provider::wire::{
        media::{Media, Source},
        settings::Warnings,
        values::{arguments_object, option, parts_of},
    },
};

/// What depends on the model and the tools.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Without active tools the service refuses tool calls and results in the history.
    pub tools: bool,
    /// Mistral's models take ids of nine letters or digits.
    pub short_tool_ids: bool,
}

/// A conversation as the service takes it.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub system: Vec<Value>,
    pub messages: Vec<Value>,
}

pub(super) fn convert(messages: &[Rc<Message>], rules: Rules, warnings: &mut Warnings) -> Result<Conversation, String> {
    let mut conversation = Conversation::default();
    let kept = without_tool_parts(messages, rules, warnings);
    let mut documents = 0;
    let mut open: Option<(&'static str, Vec<Value>)> = None;
    for (index, message) in kept.iter().enumerate() {
        let last = index + 1 == kept.len();
        let (role, mut blocks) = match message.role {
            Role::System => {
                conversation.system.push(json!({ "text": message.plain_text() }));
                conversation.system.extend(cache_point(message.provider_options.as_ref()));
                continue;
            }
            Role::User => ("user", user(message, &mut documents)?),
            Role::Tool => ("user", tool_results(message, rules)),
            Role::Assistant => ("assistant", assistant(message, last, rules)),
        };
        blocks.extend(cache_point(message.provider_options.as_ref()));
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

/// Removes tool calls and results, and messages that held nothing else, when no tool is active.
fn without_tool_parts(messages: &[Rc<Message>], rules: Rules, warnings: &mut Warnings) -> Vec<Rc<Message>> {
    let is_tool = |part: &ContentPart| matches!(part, ContentPart::ToolCall { .. } | ContentPart::ToolResult { .. });
    let any = messages.iter().any(|message| message.content_parts().iter().any(is_tool));
    if rules.tools || !any {
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

fn cache_point(options: Option<&ProviderOptions>) -> Option<Value> {
    option(options, "bedrock", "cachePoint").map(|point| json!({ "cachePoint": point }))
}

fn user(message: &Message, documents: &mut usize) -> Result<Vec<Value>, String> {
    let mut blocks = Vec::new();
    for part in parts_of(message) {
        let options = match &part {
            ContentPart::Text { text, provider_options } => {
                blocks.push(json!({ "text": text }));
                provider_options.as_ref()
            }
            part => {
                let Some(media) = Media::of(part) else { continue };
                blocks.push(media_block(&media, documents)?);
                media.options
            }
        };
        blocks.extend(cache_point(options));
    }
    Ok(blocks)
}

fn media_block(media: &Media<'_>, documents: &mut usize) -> Result<Value, String> {
    let refused = || media.refused("Bedrock");
    let Source::Base64(data) = media.source else { return Err(refused()) };
    let source = json!({ "bytes": data });
    if media.is_image() {
        let format = match media.media_type.as_str() {
            "image/png" => "png",
            "image/jpeg" | "image/jpg" => "jpeg",
            "image/gif" => "gif",
            "image/webp" => "webp",
            _ => return Err(refused()),
        };
        return Ok(json!({ "image": { "format": format, "source": source } }));
    }
    let format = match media.media_type.as_str() {
        "application/pdf" => "pdf",
        "text/csv" => "csv",
        "application/msword" => "doc",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.ms-excel" => "xls",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "text/html" => "html",
        "text/plain" => "txt",
        "text/markdown" => "md",
        _ => return Err(refused()),
    };
    *documents += 1;
    let name = media.filename.and_then(|name| name.split('.').next()).filter(|name| !name.is_empty());
    let name = name.map_or_else(|| format!("document-{documents}"), str::to_owned);
    Ok(json!({ "document": { "format": format, "name": name, "source": source } }))
}

fn tool_results(message: &Message, rules: Rules) -> Vec<Value> {
    let mut blocks = Vec::new();
    for part in message.content_parts() {
        if let ContentPart::ToolResult { tool_call_id, output, provider_options, .. } = part {
            blocks.push(json!({
                "toolResult": {
                    "toolUseId": tool_id(tool_call_id, rules),
                    "content": [{ "text": output.wire_text() }],
                }
            }));
            blocks.extend(cache_point(provider_options.as_ref()));
        }
    }
    blocks
}

/// `ends` says whether the conversation ends with this message: the service refuses white space at its ends then.
fn assistant(message: &Message, ends: bool, rules: Rules) -> Vec<Value> {
    let parts = parts_of(message);
    let mut blocks = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let trims = ends && index + 1 == parts.len();
        let trimmed = |text: &str| if trims { text.trim().to_owned() } else { text.to_owned() };
        let options = match part {
            ContentPart::Text { text, provider_options } => {
                // Blank text blocks are refused.
                if !text.trim().is_empty() {
                    blocks.push(json!({ "text": trimmed(text) }));
                }
                provider_options.as_ref()
            }
            ContentPart::Reasoning { text, provider_options } => {
                blocks.extend(reasoning(&trimmed(text), provider_options.as_ref()));
                provider_options.as_ref()
            }
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_options } => {
                blocks.push(json!({
                    "toolUse": {
                        "toolUseId": tool_id(tool_call_id, rules),
                        "name": tool_name,
                        "input": arguments_object(input),
                    }
                }));
                provider_options.as_ref()
            }
            _ => None,
        };
        blocks.extend(cache_point(options));
    }
    blocks
}

/// Only reasoning that came with a signature or as encrypted data can go back.
fn reasoning(text: &str, options: Option<&ProviderOptions>) -> Option<Value> {
    if let Some(signature) = option(options, "bedrock", "signature") {
        let text = json!({ "text": text, "signature": signature });
        return Some(json!({ "reasoningContent": { "reasoningText": text } }));
    }
    let data = option(options, "bedrock", "redactedData")?;
    Some(json!({ "reasoningContent": { "redactedReasoning": { "data": data } } }))
}

fn tool_id(id: &str, rules: Rules) -> String {
    if rules.short_tool_ids { id.chars().filter(char::is_ascii_alphanumeric).take(9).collect() } else { id.to_owned() }
}
