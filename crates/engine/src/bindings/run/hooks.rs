//! Calls of the prompt function and of the hooks `onStepFinish`, `stopWhen`, `onFinish` (docs/reference/steps.md).

use rquickjs::{Array, Class, Ctx, Function, Object, Result, Value};

use crate::bindings::{
    prompt::{
        effects,
        object::PromptObject,
        run::{PromptRun, StepList},
    },
    results::prompt_steps::step_list,
    values::{apply_async, call_async, elements, from_serde, is_truthy, property, steps::step_result},
};
use lmthing_base::chat::Step;

fn option<'js>(prompt: &PromptObject<'js>, name: &str) -> Result<Option<Value<'js>>> {
    let options = prompt.borrow().bag.options();
    options.map_or(Ok(None), |options| property(&options, name))
}

fn hook<'js>(prompt: &PromptObject<'js>, name: &str) -> Result<Option<Function<'js>>> {
    Ok(option(prompt, name)?.and_then(Value::into_function))
}

/// Calls `onStepFinish`, then `stopWhen`. Returns `true` if the run should end.
pub(crate) async fn step_finished<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    run: &Class<'js, PromptRun<'js>>,
    step: &Step,
) -> Result<bool> {
    if let Some(hook) = hook(prompt, "onStepFinish")? {
        let number = run.borrow().record.steps().len() - 1;
        call_async(&hook, (step_result(ctx, number, step)?,)).await?;
    }
    let Some(conditions) = option(prompt, "stopWhen")? else { return Ok(false) };
    let conditions = match conditions.as_array() {
        Some(list) => elements(list)?,
        None => vec![conditions],
    };
    let argument = Object::new(ctx.clone())?;
    argument.set("steps", steps_of_turn(ctx, prompt, run)?)?;
    for condition in conditions {
        let Some(condition) = condition.as_function() else { continue };
        let answer = call_async(condition, (argument.clone(),)).await?;
        if is_truthy(&answer)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The steps since the user has begun the turn; all of them outside of conversations.
fn steps_of_turn<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    run: &Class<'js, PromptRun<'js>>,
) -> Result<Array<'js>> {
    let all = step_list(ctx, prompt, run, StepList::Results)?;
    let start = run.borrow().turn_start.get();
    if start == 0 {
        return Ok(all);
    }
    let steps = Array::new(ctx.clone())?;
    for (index, step) in all.iter::<Value>().skip(start).enumerate() {
        steps.set(index, step?)?;
    }
    Ok(steps)
}

/// Runs the effects' clean-ups and, if the run did not fail, `onFinish`.
pub(crate) async fn run_finished<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    run: &Class<'js, PromptRun<'js>>,
    failed: bool,
) -> Result<()> {
    // First, and even after a failure: a clean-up releases what an effect acquired.
    effects::clean_up_all(prompt).await?;
    let hook = if failed { None } else { hook(prompt, "onFinish")? };
    let Some(hook) = hook else { return Ok(()) };
    let record = run.borrow().record.clone();
    let last = record.steps().last().cloned();
    let event = match last {
        Some(step) => step_result(ctx, record.steps().len() - 1, &step)?,
        None => Object::new(ctx.clone())?,
    };
    event.set("steps", step_list(ctx, prompt, run, StepList::Results)?)?;
    event.set("totalUsage", from_serde(ctx, &record.total_usage())?)?;
    event.set("totalCost", from_serde(ctx, &record.total_cost())?)?;
    call_async(&hook, (event,)).await.map(drop)
}

pub(crate) async fn run_body<'js>(prompt: &PromptObject<'js>, function: &Function<'js>) -> Result<()> {
    prompt.borrow().core.next_effect.set(0);
    let this = Value::new_undefined(prompt.ctx().clone());
    let input = prompt.borrow().bag.input();
    let arguments = [prompt.as_value().clone()].into_iter().chain(input).collect();
    apply_async(function, this, arguments).await.map(drop)
}
