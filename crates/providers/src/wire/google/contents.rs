//! The `contents` of Gemini requests.

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value, json};

use crate::wire::{
    media::{Media, Source, UnsupportedContent},
    provider_calls,
    values::{arguments_object, option, parts_of},
};
use lmthing_base::chat::{ContentPart, Message, ProviderOptions, Role, ToolOutput};

pub(super) const CALL_ID: &str = "callId";

#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub system: Vec<Value>,
    pub contents: Vec<Value>,
}

/// Messages are not merged. Gemma models have no system instruction: its text is added to the first user content.
pub(super) fn convert(
    messages: &[Rc<Message>],
    gemma: bool,
    option_names: &[&str],
) -> Result<Conversation, UnsupportedContent> {
    let call_ids = call_ids(messages, option_names[0]);
    let mut conversation = Conversation::default();
    let mut system_text = Vec::new();
    for message in messages {
        let (role, parts) = match message.role {
            Role::System => {
                let text = message.plain_text();
                conversation.system.push(json!({ "text": text }));
                system_text.push(text);
                continue;
            }
            Role::User => ("user", user(message)?),
            Role::Assistant => ("model", assistant(message, option_names)),
            Role::Tool => ("user", tool_results(message, &call_ids)),
        };
        conversation.contents.push(json!({ "role": role, "parts": parts }));
    }
    if gemma && !conversation.system.is_empty() {
        conversation.system.clear();
        let first = conversation.contents.first_mut().filter(|content| content["role"] == "user");
        if let Some(Value::Array(parts)) = first.and_then(|content| content.get_mut("parts")) {
            parts.insert(0, json!({ "text": format!("{}\n\n", system_text.join("\n\n")) }));
        }
    }
    Ok(conversation)
}

fn user(message: &Message) -> Result<Vec<Value>, UnsupportedContent> {
    let mut parts = Vec::new();
    for part in parts_of(message).iter() {
        match part {
            ContentPart::Text { text, .. } => parts.push(json!({ "text": text })),
            part => parts.extend(Media::of(part).map(|media| media_part(&media))),
        }
    }
    Ok(parts)
}

fn media_part(media: &Media<'_>) -> Value {
    match media.source {
        Source::Base64(data) => json!({ "inlineData": { "mimeType": media.media_type, "data": data } }),
        Source::Url(url) => json!({ "fileData": { "mimeType": media.media_type, "fileUri": url } }),
    }
}

fn assistant(message: &Message, option_names: &[&str]) -> Vec<Value> {
    let mut parts = Vec::new();
    for part in parts_of(message).iter() {
        let (mut wire, options) = match part {
            ContentPart::Text { text, provider_options } => (json!({ "text": text }), provider_options.as_ref()),
            ContentPart::Reasoning { text, provider_options } => {
                if text.is_empty() {
                    continue;
                }
                (json!({ "text": text, "thought": true }), provider_options.as_ref())
            }
            ContentPart::ToolCall { tool_name, input, provider_executed: false, provider_options, .. } => {
                let mut wire = json!({ "functionCall": { "name": tool_name, "args": arguments_object(input) } });
                if let Some(id) = option(provider_options.as_ref(), option_names[0], CALL_ID) {
                    wire["functionCall"]["id"] = id.clone();
                }
                (wire, provider_options.as_ref())
            }
            // What Google has run goes back as it came, and what others have run not at all.
            ContentPart::ToolCall { provider_options, .. } | ContentPart::ToolResult { provider_options, .. } => {
                match provider_calls::block_of(part, option_names[0]) {
                    Some(block) => (block, provider_options.as_ref()),
                    None => continue,
                }
            }
            part => match Media::of(part) {
                Some(media) => (media_part(&media), media.options),
                None => continue,
            },
        };
        if let Some(signature) = signature(options, option_names) {
            wire["thoughtSignature"] = signature.clone();
        }
        parts.push(wire);
    }
    parts
}

/// The service's own ids of calls, by ours.
fn call_ids<'a>(messages: &'a [Rc<Message>], provider: &str) -> HashMap<&'a str, &'a Value> {
    let parts = messages.iter().flat_map(|message| message.content_parts());
    let id = |part: &'a ContentPart| match part {
        ContentPart::ToolCall { tool_call_id, provider_options, .. } => {
            Some((tool_call_id.as_str(), option(provider_options.as_ref(), provider, CALL_ID)?))
        }
        _ => None,
    };
    parts.filter_map(id).collect()
}

fn signature<'a>(options: Option<&'a ProviderOptions>, option_names: &[&str]) -> Option<&'a Value> {
    option_names.iter().find_map(|name| option(options, name, "thoughtSignature"))
}

fn tool_results(message: &Message, call_ids: &HashMap<&str, &Value>) -> Vec<Value> {
    let mut parts = Vec::new();
    for part in message.content_parts() {
        if let ContentPart::ToolResult { tool_call_id, tool_name, output, .. } = part {
            let mut response = Map::new();
            // Without an id of the service's own, results are matched by name and order.
            response.insert("name".into(), tool_name.clone().into());
            response.insert("content".into(), output.wire_value());
            let mut wire = json!({ "functionResponse": { "name": tool_name, "response": response } });
            if let Some(id) = call_ids.get(tool_call_id.as_str()) {
                wire["functionResponse"]["id"] = (*id).clone();
            }
            parts.push(wire);
            if let ToolOutput::Content(content) = output {
                parts.extend(content.iter().filter_map(Media::of_result).map(|media| media_part(&media)));
            }
        }
    }
    parts
}
