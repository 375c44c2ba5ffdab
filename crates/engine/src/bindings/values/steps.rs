//! Recorded steps as JavaScript objects.

use std::{collections::HashMap, rc::Rc};

use rquickjs::{Array, Ctx, Object, Result, Value};

use super::{
    from_json, from_serde, from_tool_input,
    messages::{MessageShape, message_to_js, output_value, part_to_js},
};
use lmthing_base::chat::{
    CallSettings, ContentPart, FinishReason, Message, Role, Source, Step, StreamPart, ToolResult, ToolSpec,
};

pub(crate) fn steps_to_js<'js>(ctx: &Ctx<'js>, steps: &[Rc<Step>]) -> Result<Array<'js>> {
    let mut messages = MessageObjects::default();
    let list = Array::new(ctx.clone())?;
    for (index, step) in steps.iter().enumerate() {
        list.set(index, step_to_js(ctx, step, &mut messages)?)?;
    }
    Ok(list)
}

/// Message objects by message, because steps share messages. Addresses are safe as keys: the steps hold the messages
/// for that long.
#[derive(Default)]
pub(crate) struct MessageObjects<'js>(HashMap<*const Message, Object<'js>>);

impl<'js> MessageObjects<'js> {
    pub(crate) fn of_step(step: &Step, shown: &Object<'js>) -> Result<Self> {
        let mut objects = MessageObjects::default();
        let input: Object = shown.get("input")?;
        let shown: Array = input.get("prompt")?;
        for (message, object) in step.prompt.to_vec().iter().zip(shown.iter::<Object>()) {
            objects.0.insert(Rc::as_ptr(message), object?);
        }
        Ok(objects)
    }

    fn get(&mut self, ctx: &Ctx<'js>, message: &Rc<Message>) -> Result<Object<'js>> {
        if let Some(object) = self.0.get(&Rc::as_ptr(message)) {
            return Ok(object.clone());
        }
        let object = message_to_js(ctx, message, MessageShape::Sent)?;
        self.0.insert(Rc::as_ptr(message), object.clone());
        Ok(object)
    }

    fn all(&mut self, ctx: &Ctx<'js>, step: &Step) -> Result<Array<'js>> {
        let list = Array::new(ctx.clone())?;
        for (index, message) in step.prompt.to_vec().iter().enumerate() {
            list.set(index, self.get(ctx, message)?)?;
        }
        Ok(list)
    }
}

pub(crate) fn step_to_js<'js>(ctx: &Ctx<'js>, step: &Step, messages: &mut MessageObjects<'js>) -> Result<Object<'js>> {
    let input = Object::new(ctx.clone())?;
    input.set("prompt", messages.all(ctx, step)?)?;
    let output = Object::new(ctx.clone())?;
    output.set("content", content_to_js(ctx, &step.output.content())?)?;
    output.set("finishReason", finish_reason(step.output.finish_reason))?;
    let object = Object::new(ctx.clone())?;
    object.set("input", input)?;
    object.set("output", output)?;
    object.set("activeTools", step.active_tools.clone())?;
    Ok(object)
}

/// An item of `prompt.fullSteps`: the whole request, and the stream as it arrived.
pub(crate) fn full_step_to_js<'js>(
    ctx: &Ctx<'js>,
    step: &Step,
    tools: &[ToolSpec],
    messages: &mut MessageObjects<'js>,
) -> Result<Object<'js>> {
    let input = Object::new(ctx.clone())?;
    input.set("prompt", messages.all(ctx, step)?)?;
    let list = Array::new(ctx.clone())?;
    for (index, tool) in tools.iter().enumerate() {
        list.set(index, tool_to_js(ctx, tool)?)?;
    }
    input.set("tools", list)?;
    put_settings(ctx, &input, &step.settings)?;
    let parts = Array::new(ctx.clone())?;
    for (index, part) in step.stream_parts().into_iter().enumerate() {
        parts.set(index, raw_part(ctx, &part)?)?;
    }
    let object = Object::new(ctx.clone())?;
    object.set("input", input)?;
    object.set("output", parts)?;
    object.set("activeTools", step.active_tools.clone())?;
    Ok(object)
}

fn raw_part<'js>(ctx: &Ctx<'js>, part: &StreamPart) -> Result<Value<'js>> {
    match part {
        StreamPart::Source(source) => from_json(ctx, &source_part(source)),
        StreamPart::ToolResult { .. } => {
            let part = from_serde(ctx, part)?;
            if let Some(object) = part.as_object() {
                object.set("providerExecuted", true)?;
            }
            Ok(part)
        }
        part => from_serde(ctx, part),
    }
}

/// A source in the form of the AI SDK's streams, with its citations.
pub(crate) fn source_part(source: &Source) -> serde_json::Value {
    let source_type = if source.url.is_some() { "url" } else { "document" };
    let mut part = serde_json::json!({ "type": "source", "sourceType": source_type });
    if let (Some(part), serde_json::Value::Object(members)) = (part.as_object_mut(), serde_json::json!(source)) {
        part.extend(members);
    }
    part
}

pub(crate) fn tool_to_js<'js>(ctx: &Ctx<'js>, tool: &ToolSpec) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("name", tool.name.as_str())?;
    object.set("description", tool.description.as_str())?;
    object.set("inputSchema", from_json(ctx, &tool.input_schema)?)?;
    if let Some(options) = &tool.provider_options {
        object.set("providerOptions", from_serde(ctx, options)?)?;
    }
    Ok(object)
}

/// Retries and time limits are not sent to the provider, and not shown.
fn put_settings<'js>(ctx: &Ctx<'js>, input: &Object<'js>, settings: &CallSettings) -> Result<()> {
    let shown = settings.to_json();
    // The choice among the tools follows them.
    for (name, value) in shown.get_key_value("toolChoice").into_iter().chain(&shown) {
        input.set(name.as_str(), from_json(ctx, value)?)?;
    }
    if !settings.headers.is_empty() {
        input.set("headers", from_serde(ctx, &settings.headers)?)?;
    }
    Ok(())
}

fn content_to_js<'js>(ctx: &Ctx<'js>, content: &[ContentPart]) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (index, part) in content.iter().enumerate() {
        list.set(index, part_to_js(ctx, part, Role::Assistant)?)?;
    }
    Ok(list)
}

pub(crate) fn step_result<'js>(ctx: &Ctx<'js>, number: usize, step: &Step) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("stepNumber", number)?;
    object.set("text", step.text())?;
    let reasoning: String = step
        .output
        .parts()
        .iter()
        .filter_map(|part| match part {
            ContentPart::Reasoning { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    object.set("reasoningText", (!reasoning.is_empty()).then_some(reasoning))?;
    object.set("content", content_to_js(ctx, &step.output.content())?)?;
    object.set("toolCalls", tool_calls(ctx, step)?)?;
    object.set("toolResults", tool_results(ctx, step)?)?;
    object.set("sources", from_serde(ctx, &step.sources)?)?;
    object.set("finishReason", finish_reason(step.output.finish_reason))?;
    object.set("usage", from_serde(ctx, &step.usage)?)?;
    object.set("cost", from_serde(ctx, &step.cost)?)?;
    object.set("warnings", from_serde(ctx, &step.warnings)?)?;
    object.set("response", from_serde(ctx, &step.response)?)?;
    Ok(object)
}

fn tool_calls<'js>(ctx: &Ctx<'js>, step: &Step) -> Result<Array<'js>> {
    let calls = step.output.parts().iter().filter(|part| matches!(part, ContentPart::ToolCall { .. }));
    let calls: Vec<_> = calls.cloned().collect();
    content_to_js(ctx, &calls)
}

fn tool_results<'js>(ctx: &Ctx<'js>, step: &Step) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    let of_provider = ToolResult::of_provider(step.output.parts());
    for (index, result) in of_provider.iter().chain(&step.tool_results).enumerate() {
        list.set(index, tool_result(ctx, result)?)?;
    }
    Ok(list)
}

/// One result with its bare output value. Failures have the type `tool-error` and an `error`.
pub(crate) fn tool_result<'js>(ctx: &Ctx<'js>, result: &ToolResult) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("type", if result.output.is_error() { "tool-error" } else { "tool-result" })?;
    object.set("toolCallId", result.tool_call_id.as_str())?;
    object.set("toolName", result.tool_name.as_str())?;
    object.set("input", from_tool_input(ctx, &result.input)?)?;
    object.set("output", output_value(ctx, &result.output, &result.agents)?)?;
    if result.output.is_error() {
        object.set("error", result.output.wire_text())?;
    }
    if result.provider_executed {
        object.set("providerExecuted", true)?;
    }
    Ok(object)
}

pub(crate) fn finish_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content-filter",
        FinishReason::ToolCalls => "tool-calls",
        FinishReason::Error => "error",
        FinishReason::Other => "other",
    }
}
