//! Encodes requests of Cohere's chat API.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::{format, thinking};
use crate::wire::{
    EncodedRequest,
    chat::{function_call, function_tool},
    media::{Media, UnsupportedContent},
    provider_tools::{self, Target, Tools},
    settings::{SettingNames, Warnings, put_settings},
    tool_result_images::ToolResultImages,
    values::{options_of, parts_of},
};
use lmthing_base::chat::{ContentPart, Message, ModelRequest, Role, ToolChoice};

const SETTINGS: SettingNames = SettingNames {
    max_output_tokens: Some("max_tokens"),
    temperature: Some("temperature"),
    top_p: Some("p"),
    top_k: Some("k"),
    stop_sequences: Some("stop_sequences"),
    seed: Some("seed"),
    presence_penalty: Some("presence_penalty"),
    frequency_penalty: Some("frequency_penalty"),
};

pub(super) fn encode(request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
    let mut warnings = Warnings::default();
    let mut body = Map::new();
    body.insert("model".into(), model_id.into());
    put_settings(&mut body, &request.settings, &SETTINGS, &mut warnings);
    let mut documents = Vec::new();
    body.insert("messages".into(), messages(&request.messages, accepts_images(model_id), &mut documents)?.into());
    if !documents.is_empty() {
        body.insert("documents".into(), documents.into());
    }
    let tools = provider_tools::choose(request, Target { names: &["cohere"], model_id }, |_| None)?;
    put_tools(&mut body, &tools, request.settings.tool_choice.as_ref());
    format::put(&mut body, &request.settings, model_id);
    let options = options_of(&request.settings.provider_options, &["cohere"]);
    thinking::put_thinking(&mut body, options, &request.settings, model_id, &mut warnings);
    body.insert("stream".into(), true.into());
    let warnings = warnings.into_vec();
    Ok(EncodedRequest { path: "/chat".into(), headers: Vec::new(), body: Value::Object(body), warnings })
}

fn accepts_images(model_id: &str) -> bool {
    model_id.contains("vision")
}

fn messages(
    messages: &[Rc<Message>],
    accepts_images: bool,
    documents: &mut Vec<Value>,
) -> Result<Vec<Value>, UnsupportedContent> {
    let mut wire = Vec::with_capacity(messages.len());
    let mut images = ToolResultImages::default();
    for message in messages {
        if message.role != Role::Tool {
            images.send(&mut wire);
        }
        match message.role {
            Role::System => wire.push(json!({ "role": "system", "content": message.plain_text() })),
            Role::User => wire.push(json!({ "role": "user", "content": user(message, documents)? })),
            Role::Assistant => wire.push(assistant(message)),
            Role::Tool => {
                for part in message.content_parts() {
                    if let ContentPart::ToolResult { tool_call_id, output, .. } = part {
                        let content = output.wire_text();
                        wire.push(json!({ "role": "tool", "content": content, "tool_call_id": tool_call_id }));
                    }
                }
                if accepts_images {
                    images.collect(message);
                }
            }
        }
    }
    images.send(&mut wire);
    Ok(wire)
}

fn user(message: &Message, documents: &mut Vec<Value>) -> Result<Value, UnsupportedContent> {
    let (mut text, mut images) = (String::new(), Vec::new());
    for part in parts_of(message).iter() {
        match part {
            ContentPart::Text { text: piece, .. } => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str(piece);
            }
            part => {
                let Some(media) = Media::of(part) else { continue };
                if media.is_image() {
                    images.push(json!({ "type": "image_url", "image_url": { "url": media.as_url() } }));
                    continue;
                }
                let mut data = json!({ "text": media.text_or_refused("Cohere")? });
                if let Some(title) = media.filename {
                    data["title"] = title.into();
                }
                // Documents can be cited, text in the message cannot.
                documents.push(json!({ "data": data }));
            }
        }
    }
    if images.is_empty() {
        return Ok(text.into());
    }
    let mut content = vec![json!({ "type": "text", "text": text })];
    content.extend(images);
    Ok(content.into())
}

fn assistant(message: &Message) -> Value {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in parts_of(message).iter() {
        match part {
            ContentPart::Text { text: piece, .. } => text.push_str(piece),
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed: false, .. } => {
                calls.push(function_call(tool_call_id, tool_name, input));
            }
            _ => {}
        }
    }
    if calls.is_empty() {
        return json!({ "role": "assistant", "content": text });
    }
    json!({ "role": "assistant", "tool_calls": calls })
}

fn put_tools(body: &mut Map<String, Value>, tools: &Tools<'_>, choice: Option<&ToolChoice>) {
    let only = match choice {
        Some(ToolChoice::Tool(name)) => Some(name.as_str()),
        _ => None,
    };
    let functions = tools.functions.iter().filter(|tool| only.is_none_or(|name| tool.name == name)).map(function_tool);
    let wire: Vec<Value> = functions.chain(tools.provided.iter().map(|tool| tool.wire.clone())).collect();
    if wire.is_empty() {
        return;
    }
    body.insert("tools".into(), wire.into());
    let choice = match choice.unwrap_or(&ToolChoice::Auto) {
        ToolChoice::Auto => return,
        ToolChoice::None => "NONE",
        ToolChoice::Required | ToolChoice::Tool(_) => "REQUIRED",
    };
    body.insert("tool_choice".into(), choice.into());
}
