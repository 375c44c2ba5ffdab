//! `prompt.steps` and `prompt.fullSteps`.
//!
//! Objects are made when somebody looks, and kept with their run: looking again, or at the next step, costs only what
//! is new. Messages are shared between the steps that saw them.

use std::rc::Rc;

use rquickjs::{Array, Class, Ctx, Object, Result, Value, function::This, object::Accessor};

use crate::{
    chat::{Step, ToolSpec},
    script::bindings::{
        prompt::{
            object::{PromptObject, StatefulPrompt},
            run::{KeptTools, PromptRun, StepList},
            tool_spec::convert,
        },
        values::steps::{MessageObjects, full_step_to_js, step_result, step_to_js},
    },
};

/// Puts `steps` and `fullSteps` on the prototype of prompts; done once an engine.
pub(crate) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
    // Not with the class: that is in the room `prompt`, which results are made from.
    let Some(prototype) = Class::<StatefulPrompt>::prototype(ctx)? else { return Ok(()) };
    prototype.prop("steps", Accessor::from(steps).configurable())?;
    prototype.prop("fullSteps", Accessor::from(full_steps).configurable())
}

/// `prompt.steps`: what every finished step sent and got, `[{input, output, activeTools}]`.
/// Rules: docs/reference.md, "Results".
fn steps<'js>(this: This<PromptObject<'js>>) -> Result<Array<'js>> {
    shown(&this.0, StepList::Steps)
}

/// `prompt.fullSteps`: the same with the whole request, and the raw stream parts as `output`.
/// Rules: docs/reference.md, "Results".
fn full_steps<'js>(this: This<PromptObject<'js>>) -> Result<Array<'js>> {
    shown(&this.0, StepList::FullSteps)
}

/// The finished steps of the prompt's latest run; a fresh array of kept objects.
fn shown<'js>(prompt: &PromptObject<'js>, list: StepList) -> Result<Array<'js>> {
    let ctx = prompt.ctx();
    let fresh = Array::new(ctx.clone())?;
    let Some(run) = prompt.borrow().bag.run() else { return Ok(fresh) };
    for (index, step) in up_to_date(ctx, prompt, &run, list)?.iter::<Value>().enumerate() {
        fresh.set(index, step?)?;
    }
    Ok(fresh)
}

/// The list of a run's steps, with the steps that have come since it was last looked at. Not a copy.
pub(crate) fn up_to_date<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    run: &Class<'js, PromptRun<'js>>,
    list: StepList,
) -> Result<Array<'js>> {
    let run = run.borrow();
    let kept = run.list(list);
    let steps: Vec<Rc<Step>> = run.record.steps().clone();
    if kept.len() == steps.len() {
        return Ok(kept);
    }
    // A step saw what the one before saw and more, so that the last one leads to all messages there are. Step results
    // show none.
    let mut messages = match kept.len().checked_sub(1) {
        Some(last) if list != StepList::Results => MessageObjects::of_step(&steps[last], &kept.get::<Object>(last)?)?,
        _ => MessageObjects::default(),
    };
    for (number, step) in steps.iter().enumerate().skip(kept.len()) {
        let object = match list {
            StepList::Steps => step_to_js(ctx, step, &mut messages)?,
            StepList::FullSteps => full_step_to_js(ctx, step, &tools(ctx, prompt, &run, number, step)?, &mut messages)?,
            StepList::Results => step_result(ctx, number, step)?,
        };
        kept.set(number, object)?;
    }
    Ok(kept)
}

/// The tools the model was told of, or would have been, had it read its request.
fn tools<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    run: &PromptRun<'js>,
    number: usize,
    step: &Step,
) -> Result<Rc<[ToolSpec]>> {
    if let Some(tools) = &step.tools {
        return Ok(tools.clone());
    }
    match run.kept_tools(number) {
        KeptTools::Converted(specs) => Ok(specs),
        KeptTools::Told(tools) => tools.iter().map(|tool| Ok(convert(ctx, prompt, tool)?.spec.clone())).collect(),
    }
}
