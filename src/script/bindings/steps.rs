//! `prompt.steps`, `prompt.fullSteps` and `result.steps`: recorded steps as JavaScript objects.
//!
//! Objects are made when somebody looks, and kept: looking again, or at the next step, costs only what is new. Messages
//! are shared between the steps that saw them.

use std::{collections::HashMap, rc::Rc};

use rquickjs::{Array, Ctx, Object, Result, Value};

use super::{
    messages::{Shape, message_to_js, part_to_js},
    stateful_prompt::Core,
    values::{from_json, from_serde, from_tool_input, property},
};
use crate::chat::{ContentPart, FinishReason, Message, Step, ToolResult};

/// Which of the two step lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Steps,
    FullSteps,
}

impl View {
    fn cache_key(self) -> &'static str {
        match self {
            View::Steps => "stepObjects",
            View::FullSteps => "fullStepObjects",
        }
    }
}

/// The finished steps of a prompt's run; a fresh array of kept objects.
pub(crate) fn prompt_steps<'js>(ctx: &Ctx<'js>, bag: &Object<'js>, core: &Core, view: View) -> Result<Array<'js>> {
    let kept = match property(bag, view.cache_key())?.and_then(Value::into_array) {
        Some(kept) => kept,
        None => {
            let kept = Array::new(ctx.clone())?;
            bag.set(view.cache_key(), kept.clone())?;
            kept
        }
    };
    let record = core.record.borrow().clone();
    let steps: Vec<Rc<Step>> = record.steps().iter().skip(kept.len()).cloned().collect();
    if !steps.is_empty() {
        let mut messages = MessageObjects::from_last(&kept, core)?;
        for step in steps {
            kept.set(kept.len(), step_to_js(ctx, &step, view, &mut messages)?)?;
        }
    }
    let list = Array::new(ctx.clone())?;
    for (index, step) in kept.iter::<Value>().enumerate() {
        list.set(index, step?)?;
    }
    Ok(list)
}

/// The steps of an agent's child, in the shape of `prompt.steps`.
pub(crate) fn steps_to_js<'js>(ctx: &Ctx<'js>, steps: &[Step]) -> Result<Array<'js>> {
    let mut messages = MessageObjects::default();
    let list = Array::new(ctx.clone())?;
    for (index, step) in steps.iter().enumerate() {
        list.set(index, step_to_js(ctx, step, View::Steps, &mut messages)?)?;
    }
    Ok(list)
}

/// Message objects made so far, by the message they show.
#[derive(Default)]
struct MessageObjects<'js>(HashMap<*const Message, Object<'js>>);

impl<'js> MessageObjects<'js> {
    /// Picks up the objects of the last step that was shown before.
    fn from_last(kept: &Array<'js>, core: &Core) -> Result<Self> {
        let mut objects = MessageObjects::default();
        let record = core.record.borrow().clone();
        let steps = record.steps();
        let Some(last) = kept.len().checked_sub(1).and_then(|index| steps.get(index)) else { return Ok(objects) };
        let shown: Object = kept.get(kept.len() - 1)?;
        let input: Object = shown.get("input")?;
        let shown: Array = input.get("prompt")?;
        for (message, object) in last.prompt.to_vec().iter().zip(shown.iter::<Object>()) {
            objects.0.insert(Rc::as_ptr(message), object?);
        }
        Ok(objects)
    }

    fn get(&mut self, ctx: &Ctx<'js>, message: &Rc<Message>) -> Result<Object<'js>> {
        if let Some(object) = self.0.get(&Rc::as_ptr(message)) {
            return Ok(object.clone());
        }
        let object = message_to_js(ctx, message, Shape::Sent)?;
        self.0.insert(Rc::as_ptr(message), object.clone());
        Ok(object)
    }
}

fn step_to_js<'js>(ctx: &Ctx<'js>, step: &Step, view: View, messages: &mut MessageObjects<'js>) -> Result<Object<'js>> {
    let sent = Array::new(ctx.clone())?;
    for (index, message) in step.prompt.to_vec().iter().enumerate() {
        sent.set(index, messages.get(ctx, message)?)?;
    }
    let input = Object::new(ctx.clone())?;
    input.set("prompt", sent)?;
    let object = Object::new(ctx.clone())?;
    object.set("input", input)?;
    match view {
        View::Steps => {
            let output = Object::new(ctx.clone())?;
            output.set("content", content_to_js(ctx, &step.output.content)?)?;
            output.set("finishReason", finish_reason(step.output.finish_reason))?;
            object.set("output", output)?;
        }
        View::FullSteps => {
            let parts = Array::new(ctx.clone())?;
            for (index, part) in step.raw.iter().enumerate() {
                parts.set(index, from_serde(ctx, &**part)?)?;
            }
            object.set("output", parts)?;
        }
    }
    object.set("activeTools", step.active_tools.clone())?;
    Ok(object)
}

fn content_to_js<'js>(ctx: &Ctx<'js>, content: &[ContentPart]) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (index, part) in content.iter().enumerate() {
        list.set(index, part_to_js(ctx, part)?)?;
    }
    Ok(list)
}

/// A step as `result.steps`, `onStepFinish` and `stopWhen` show it.
pub(crate) fn step_result<'js>(ctx: &Ctx<'js>, number: usize, step: &Step) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("stepNumber", number)?;
    object.set("text", step.text())?;
    let reasoning: String = step
        .output
        .content
        .iter()
        .filter_map(|part| match part {
            ContentPart::Reasoning { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    object.set("reasoningText", (!reasoning.is_empty()).then_some(reasoning))?;
    object.set("content", content_to_js(ctx, &step.output.content)?)?;
    object.set("toolCalls", tool_calls(ctx, step)?)?;
    object.set("toolResults", tool_results(ctx, step)?)?;
    object.set("finishReason", finish_reason(step.output.finish_reason))?;
    object.set("usage", from_serde(ctx, &step.usage)?)?;
    object.set("warnings", from_serde(ctx, &step.warnings)?)?;
    object.set("response", from_serde(ctx, &step.response)?)?;
    Ok(object)
}

/// The calls of a step: `[{type: 'tool-call', toolCallId, toolName, input}]`.
pub(crate) fn tool_calls<'js>(ctx: &Ctx<'js>, step: &Step) -> Result<Array<'js>> {
    let calls = step.output.content.iter().filter(|part| matches!(part, ContentPart::ToolCall { .. }));
    let calls: Vec<_> = calls.cloned().collect();
    content_to_js(ctx, &calls)
}

/// The results of a step: `[{type: 'tool-result', toolCallId, toolName, input, output}]`, in call order.
pub(crate) fn tool_results<'js>(ctx: &Ctx<'js>, step: &Step) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (index, result) in step.tool_results.iter().enumerate() {
        list.set(index, tool_result(ctx, result)?)?;
    }
    Ok(list)
}

/// One result with the bare output value; failures have the type `tool-error` and an `error`.
pub(crate) fn tool_result<'js>(ctx: &Ctx<'js>, result: &ToolResult) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("type", if result.output.is_error() { "tool-error" } else { "tool-result" })?;
    object.set("toolCallId", result.tool_call_id.as_str())?;
    object.set("toolName", result.tool_name.as_str())?;
    object.set("input", from_tool_input(ctx, &result.input)?)?;
    object.set("output", from_json(ctx, &result.output.to_value())?)?;
    if result.output.is_error() {
        object.set("error", result.output.wire_text())?;
    }
    Ok(object)
}

/// The JavaScript name of a finish reason.
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
