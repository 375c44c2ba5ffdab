//! `prompt.steps` and `prompt.fullSteps`.
//!
//! Objects are created on first access and kept with their run, so repeated reads only cost new steps. Steps share
//! message objects.

use std::rc::Rc;

use rquickjs::{Array, Class, Ctx, Object, Result, Value, function::This, object::Accessor};

use crate::bindings::{
    prompt::{
        object::{PromptObject, StatefulPrompt},
        run::{PromptRun, StepList, StepTools},
        tool_spec::convert,
    },
    values::steps::{MessageObjects, full_step_to_js, step_result, step_to_js},
};
use lmthing_base::chat::{Step, ToolSpec};

pub(crate) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
    // Not in the class itself, since its module must not import this one.
    let Some(prototype) = Class::<StatefulPrompt>::prototype(ctx)? else { return Ok(()) };
    prototype.prop("steps", Accessor::from(steps).configurable())?;
    prototype.prop("fullSteps", Accessor::from(full_steps).configurable())
}

fn steps<'js>(this: This<PromptObject<'js>>) -> Result<Array<'js>> {
    step_objects(&this.0, StepList::Steps)
}

fn full_steps<'js>(this: This<PromptObject<'js>>) -> Result<Array<'js>> {
    step_objects(&this.0, StepList::FullSteps)
}

fn step_objects<'js>(prompt: &PromptObject<'js>, list: StepList) -> Result<Array<'js>> {
    let ctx = prompt.ctx();
    let copy = Array::new(ctx.clone())?;
    let Some(run) = prompt.borrow().bag.run() else { return Ok(copy) };
    for (index, step) in step_list(ctx, prompt, &run, list)?.iter::<Value>().enumerate() {
        copy.set(index, step?)?;
    }
    Ok(copy)
}

/// Returns the cached list itself, extended by the steps since the last access.
pub(crate) fn step_list<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    run: &Class<'js, PromptRun<'js>>,
    list: StepList,
) -> Result<Array<'js>> {
    let run = run.borrow();
    let cached = run.list(list);
    let steps: Vec<Rc<Step>> = run.record.steps().clone();
    if cached.len() == steps.len() {
        return Ok(cached);
    }
    // A step's messages include those of the step before, so the last one has all. Step results show none.
    let mut messages = match cached.len().checked_sub(1) {
        Some(last) if list != StepList::Results => MessageObjects::of_step(&steps[last], &cached.get::<Object>(last)?)?,
        _ => MessageObjects::default(),
    };
    for (number, step) in steps.iter().enumerate().skip(cached.len()) {
        let object = match list {
            StepList::Steps => step_to_js(ctx, step, &mut messages)?,
            StepList::FullSteps => full_step_to_js(ctx, step, &tools(ctx, prompt, &run, number, step)?, &mut messages)?,
            StepList::Results => step_result(ctx, number, step)?,
        };
        cached.set(number, object)?;
    }
    Ok(cached)
}

/// The tools of the request, whether or not the model read it.
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
        StepTools::Converted(specs) => Ok(specs),
        StepTools::Unconverted(tools) => {
            tools.iter().map(|tool| Ok(convert(ctx, prompt, tool)?.spec.clone())).collect()
        }
    }
}
