//! The report of a run as JavaScript: `{text, output?, steps, toolCalls, sources, usage, cost, finishReason, error?,
//! prompt}`
//! (docs/reference/test.md).

use std::rc::Rc;

use rquickjs::{
    Array, Atom, Ctx, Function, IntoJs, Object, Result, Value,
    object::{Accessor, Property},
};

use super::runner::{CallReport, RunReport};
use crate::bindings::values::{
    from_json, from_serde, from_tool_input,
    messages::output_value,
    steps::{MessageObjects, finish_reason, full_step_to_js, steps_to_js},
};
use lmthing_base::{chat::Step, event::FailureReport};

/// The names of symbols that matchers read.
const BRAND: &str = "lmthing.run";
const REUSE: &str = "lmthing.reuse";

pub(super) fn to_js<'js>(ctx: &Ctx<'js>, report: RunReport) -> Result<Value<'js>> {
    let steps = steps_to_js(ctx, &report.steps)?;
    let object = Object::new(ctx.clone())?;
    object.set("text", report.text)?;
    if let Some(output) = &report.output {
        object.set("output", from_json(ctx, output)?)?;
    }
    object.set("steps", steps.clone())?;
    object.set("toolCalls", calls_to_js(ctx, &report.calls)?)?;
    // An empty list does not appear in snapshots, which are older than sources.
    let sources = Property::from(from_serde(ctx, &report.sources)?).writable().configurable();
    object.prop("sources", if report.sources.is_empty() { sources } else { sources.enumerable() })?;
    object.set("usage", from_serde(ctx, &report.usage)?)?;
    object.set("cost", from_serde(ctx, &report.cost)?)?;
    object.set("finishReason", report.finish_reason.map(finish_reason))?;
    if let Some(error) = &report.error {
        object.set("error", error_to_js(ctx, error)?)?;
    }
    // Not enumerable, as it repeats other properties, which a snapshot should contain once.
    object.prop("prompt", Property::from(prompt_to_js(ctx, steps, report.steps.into())?).writable().configurable())?;
    let symbol: Function = ctx.globals().get::<_, Object>("Symbol")?.get("for")?;
    for (name, value) in [(BRAND, true.into_js(ctx)?), (REUSE, from_serde(ctx, &report.reuse)?)] {
        let key: Value = symbol.call((name,))?;
        object.prop(Atom::from_value(ctx.clone(), &key)?, Property::from(value))?;
    }
    Ok(object.into_value())
}

/// `[{toolName, toolCallId, input, output, providerExecuted?, agent}]`. A call without a result has no output.
fn calls_to_js<'js>(ctx: &Ctx<'js>, calls: &[CallReport]) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (index, call) in calls.iter().enumerate() {
        let object = Object::new(ctx.clone())?;
        object.set("toolName", call.tool_name.as_str())?;
        object.set("toolCallId", call.tool_call_id.as_str())?;
        object.set("input", from_tool_input(ctx, &call.input)?)?;
        if let Some(result) = &call.result {
            object.set("output", output_value(ctx, &result.output, &result.agents)?)?;
        }
        if call.provider_executed {
            object.set("providerExecuted", true)?;
        }
        let agent: Vec<&str> = call.agent.iter().map(|name| &**name).collect();
        object.set("agent", agent)?;
        list.set(index, object)?;
    }
    Ok(list)
}

fn error_to_js<'js>(ctx: &Ctx<'js>, error: &FailureReport) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("code", error.code)?;
    object.set("kind", error.kind.as_str())?;
    object.set("message", error.message.as_str())?;
    if let Some(hint) = &error.hint {
        object.set("hint", hint.as_str())?;
    }
    Ok(object)
}

/// `{steps, fullSteps}`. Full steps are large, and created on access.
fn prompt_to_js<'js>(ctx: &Ctx<'js>, steps: Array<'js>, records: Rc<[Rc<Step>]>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("steps", steps)?;
    let full_steps = move |ctx: Ctx<'js>| full_steps(&ctx, &records);
    object.prop("fullSteps", Accessor::from(full_steps).enumerable().configurable())?;
    Ok(object)
}

fn full_steps<'js>(ctx: &Ctx<'js>, steps: &[Rc<Step>]) -> Result<Array<'js>> {
    let mut messages = MessageObjects::default();
    let list = Array::new(ctx.clone())?;
    for (index, step) in steps.iter().enumerate() {
        let tools = step.tools.as_deref().unwrap_or_default();
        list.set(index, full_step_to_js(ctx, step, tools, &mut messages)?)?;
    }
    Ok(list)
}
