//! Conversion of messages, their parts and tool outputs (docs/reference/messages.md).
//!
//! `place` is the prefix of error messages.

use rquickjs::{Array, ArrayBuffer, Constructor, Ctx, Function, Object, Result, Value, function::This};

use super::{
    blob::{blob_part, blob_parts, put_blob},
    from_json, from_serde, from_tool_input, kind_of, property, steps,
    text::scalar_text,
    to_json, type_error,
};
use lmthing_base::chat::{AgentRun, Content, ContentPart, Message, ProviderOptions, Role, ToolOutput};

pub(crate) fn parts_from_js<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<Vec<ContentPart>> {
    if let Some(text) = scalar_text(ctx, value)? {
        return Ok(vec![ContentPart::text(text)]);
    }
    if let Some(parts) = blob_parts(ctx, value)? {
        return Ok(parts);
    }
    let Some(array) = value.as_array() else {
        let message = format!("{place} must be a string or an array of parts, got {}", kind_of(value));
        return Err(type_error(ctx, message));
    };
    array
        .iter::<Value>()
        .enumerate()
        .map(|(index, part)| part_from_js(ctx, &part?, &format!("{place}[{index}]")))
        .collect()
}

fn part_from_js<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<ContentPart> {
    if let Some(text) = value.as_string() {
        return Ok(ContentPart::text(text.to_string()?));
    }
    if let Some(part) = blob_part(ctx, value)? {
        return Ok(part);
    }
    let Some(object) = value.as_object() else {
        return Err(type_error(
            ctx,
            format!("{place} must be a part such as {{type: 'text', text}}, got {}", kind_of(value)),
        ));
    };
    // Text of a file has its name.
    if let (Some(data), None) = (property(object, "data")?, property(object, "mediaType")?)
        && property(object, "providerOptions")?.is_none()
        && let Some(part @ ContentPart::Text { .. }) = blob_part(ctx, &data)?
    {
        return Ok(part);
    }
    let mut json = to_json(ctx, value)?;
    // JSON would write bytes as an object with a key for each of them.
    for key in ["image", "data"] {
        let bytes = property(object, key)?.map(|data| base64_of(ctx, &data)).transpose()?.flatten();
        if let Some(bytes) = bytes {
            json[key] = serde_json::Value::String(bytes);
        } else {
            put_blob(ctx, object, key, &mut json)?;
        }
    }
    serde_json::from_value(json).map_err(|error| type_error(ctx, format!("{place} is not a message part: {error}")))
}

/// Bytes as base64; `None` for other values.
pub(crate) fn base64_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<String>> {
    let Some(object) = value.as_object() else { return Ok(None) };
    let bytes = if object.as_typed_array::<u8>().is_some() {
        object.clone()
    } else if ArrayBuffer::from_object(object.clone()).is_some() {
        let class: Constructor = ctx.globals().get("Uint8Array")?;
        class.construct((object.clone(),))?
    } else {
        // The engine throws for an object without a buffer; that exception must not stay pending.
        ctx.catch();
        return Ok(None);
    };
    let to_base64: Function = bytes.get("toBase64")?;
    to_base64.call((This(bytes),)).map(Some)
}

pub(crate) fn message_from_js<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<Message> {
    if let Some(text) = scalar_text(ctx, value)? {
        return Ok(Message::text(Role::User, text));
    }
    let Some(object) = value.as_object().filter(|_| !value.is_array()) else {
        let message = format!("{place} must be a string or a {{role, content}} message, got {}", kind_of(value));
        return Err(type_error(ctx, message));
    };
    let role: Value = object.get("role")?;
    let role = match role.as_string().map(rquickjs::String::to_string).transpose()?.as_deref() {
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        // `defMessage` rejects this role, but effects pass on messages they were given.
        Some("tool") => Role::Tool,
        _ => return Err(type_error(ctx, format!("{place}: the role must be 'system', 'user', 'assistant' or 'tool'"))),
    };
    let parts = parts_from_js(ctx, &object.get("content")?, &format!("{place}: the content"))?;
    let mut message = match role {
        // Providers take the system prompt as one text.
        Role::System => Message::system(Message::parts(role, parts).plain_text()),
        _ => Message::parts(role, parts),
    };
    if let Some(options) = property(object, "providerOptions")? {
        message.provider_options = provider_options(ctx, &options, place)?;
    }
    Ok(message)
}

pub(crate) fn provider_options<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    place: &str,
) -> Result<Option<ProviderOptions>> {
    match to_json(ctx, value)? {
        serde_json::Value::Object(map) => Ok(Some(map)),
        _ => Err(type_error(ctx, format!("{place}: providerOptions must be an object, got {}", kind_of(value)))),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageShape {
    /// As sent: all content except a system message's is a list of parts.
    Sent,
    /// As written: a message of one text is a string.
    Written,
}

pub(crate) fn message_to_js<'js>(ctx: &Ctx<'js>, message: &Message, shape: MessageShape) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("role", message.role.as_str())?;
    match (&message.content, shape) {
        (Content::Text(text), _) => object.set("content", text.as_str())?,
        (Content::Parts(parts), MessageShape::Written) if message.role != Role::Tool && is_one_text(parts) => {
            object.set("content", message.plain_text())?;
        }
        (Content::Parts(parts), _) => {
            let list = Array::new(ctx.clone())?;
            for (index, part) in parts.iter().enumerate() {
                list.set(index, part_to_js(ctx, part, message.role)?)?;
            }
            object.set("content", list)?;
        }
    }
    if let Some(options) = &message.provider_options {
        object.set("providerOptions", from_serde(ctx, options)?)?;
    }
    Ok(object)
}

fn is_one_text(parts: &[ContentPart]) -> bool {
    // A string would lose provider options.
    matches!(parts, [ContentPart::Text { provider_options: None, .. }])
}

/// A part of a message with the role `role`.
pub(crate) fn part_to_js<'js>(ctx: &Ctx<'js>, part: &ContentPart, role: Role) -> Result<Value<'js>> {
    // Built by hand where JSON would lose the original text of arguments or the steps of agents, and for text, as most
    // parts are.
    let object = Object::new(ctx.clone())?;
    match part {
        ContentPart::Text { text, provider_options: None } => {
            object.set("type", "text")?;
            object.set("text", text.as_str())?;
        }
        ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed, provider_options } => {
            object.set("type", "tool-call")?;
            object.set("toolCallId", tool_call_id.as_str())?;
            object.set("toolName", tool_name.as_str())?;
            object.set("input", from_tool_input(ctx, input)?)?;
            if *provider_executed {
                object.set("providerExecuted", true)?;
            }
            if let Some(options) = provider_options {
                object.set("providerOptions", from_serde(ctx, options)?)?;
            }
        }
        ContentPart::ToolResult { tool_call_id, tool_name, output, agents, provider_options } => {
            object.set("type", "tool-result")?;
            object.set("toolCallId", tool_call_id.as_str())?;
            object.set("toolName", tool_name.as_str())?;
            object.set("output", output_to_js(ctx, output, agents)?)?;
            if !agents.is_empty() {
                let steps: Vec<_> = agents.iter().flat_map(|agent| agent.steps.iter().cloned()).collect();
                object.set("agentSteps", steps::steps_to_js(ctx, &steps)?)?;
            }
            // A result in an answer is one of the provider.
            if role == Role::Assistant {
                object.set("providerExecuted", true)?;
            }
            if let Some(options) = provider_options {
                object.set("providerOptions", from_serde(ctx, options)?)?;
            }
        }
        other => return from_serde(ctx, other),
    }
    Ok(object.into_value())
}

pub(crate) fn output_to_js<'js>(ctx: &Ctx<'js>, output: &ToolOutput, agents: &[AgentRun]) -> Result<Object<'js>> {
    let kind = match output {
        ToolOutput::Text(_) => "text",
        ToolOutput::Json(_) => "json",
        ToolOutput::Content(_) => "content",
        ToolOutput::ErrorText(_) => "error-text",
        ToolOutput::ErrorJson(_) => "error-json",
    };
    let object = Object::new(ctx.clone())?;
    object.set("type", kind)?;
    object.set("value", output_value(ctx, output, agents)?)?;
    Ok(object)
}

/// The value of a tool result as scripts see it: results of a composite agent include the children's steps, which are
/// not sent to the model.
pub(crate) fn output_value<'js>(ctx: &Ctx<'js>, output: &ToolOutput, agents: &[AgentRun]) -> Result<Value<'js>> {
    let value = from_json(ctx, &output.to_value())?;
    let Some(object) = value.as_object() else { return Ok(value) };
    for agent in agents {
        let Some(place) = agent.result else { continue };
        let results: Array = object.get("results")?;
        let result: Object = results.get(place)?;
        // Set again so that it stays the last property.
        let problem = property(&result, "validationError")?;
        result.remove("validationError")?;
        result.set("steps", steps::steps_to_js(ctx, &agent.steps)?)?;
        if let Some(problem) = problem {
            result.set("validationError", problem)?;
        }
    }
    Ok(value)
}
