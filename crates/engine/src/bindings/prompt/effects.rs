//! `defEffect` and running effects, modelled on React's with steps in place of renders.

use std::{cell::RefCell, rc::Rc};

use rquickjs::{Class, Ctx, Function, Object, Result, Value, function::This};

use super::{bag::Effect, call::Call, effect_context::EffectContext, object::PromptObject, step_modifier};
use crate::{
    bindings::values::{call_async, kind_of, type_error},
    prompt::StepModifications,
};

/// `defEffect(fn, deps?)`: `fn(context, stepModifier)` runs after the body and before the step's request. Rules:
/// docs/reference/state-and-effects.md.
pub(crate) fn def_effect(call: Call<'_>) -> Result<Value<'_>> {
    let function = call.function(0, "defEffect: the effect")?;
    let deps = call.arg(1);
    if !deps.is_undefined() && !deps.is_null() && !deps.is_array() {
        let message = format!("defEffect: the dependencies must be an array, got {}", kind_of(&deps));
        return Err(type_error(&call.ctx, message));
    }
    let deps = deps.into_array();
    let place = call.core.next_effect.replace(call.core.next_effect.get() + 1);
    let prompt = call.prompt.borrow();
    let mut effects = prompt.bag.effects().borrow_mut();
    match effects.get_mut(place) {
        // The old dependencies and the clean-up stay until the effect is due again.
        Some(effect) => (effect.function, effect.deps) = (function, deps),
        None => effects.push(Effect { function, deps, last_deps: None, ran: false, clean_up: None }),
    }
    Ok(Value::new_undefined(call.ctx.clone()))
}

fn effect<'js>(prompt: &PromptObject<'js>, place: usize) -> Option<Effect<'js>> {
    prompt.borrow().bag.effects().borrow().get(place).cloned()
}

fn update<'js, T>(prompt: &PromptObject<'js>, place: usize, change: impl FnOnce(&mut Effect<'js>) -> T) -> Option<T> {
    prompt.borrow().bag.effects().borrow_mut().get_mut(place).map(change)
}

/// Runs the effects that are due, in call order, and returns their modifications. Effects that the last run of the
/// body did not define are cleaned up and removed.
pub(crate) async fn run_due<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<StepModifications> {
    let core = prompt.borrow().core.clone();
    // First, as in React: removed effects are cleaned up before any effect runs. Only a body resets the count, so
    // prompts without one keep all effects.
    drop_removed(prompt, core.next_effect.get()).await?;
    let modifications = Rc::new(RefCell::new(StepModifications::default()));
    let mut arguments: Option<(Value, Function)> = None;
    // Effects that effects define run on the next step: one that defines itself would never end.
    let count = prompt.borrow().bag.effects().borrow().len();
    for place in 0..count {
        let Some(due) = effect(prompt, place) else { break };
        if !is_due(ctx, &due)? {
            continue;
        }
        clean_up(prompt, place).await?;
        update(prompt, place, |effect| (effect.last_deps, effect.ran) = (effect.deps.clone(), true));
        let (context, modifier) = match &arguments {
            Some(made) => made.clone(),
            None => {
                // Created only when needed: on most steps of a long run no effect is due. Effects of a step share one
                // context.
                let context = Class::instance(ctx.clone(), EffectContext::new(ctx, prompt)?)?.into_value();
                let modifier = step_modifier::create(ctx, &core, &modifications)?;
                arguments.insert((context, modifier)).clone()
            }
        };
        let answer = call_async(&due.function, (context, modifier)).await?;
        if let Some(function) = answer.into_function() {
            update(prompt, place, |effect| effect.clean_up = Some(function));
        }
    }
    drop(arguments);
    Ok(modifications.take())
}

pub(crate) async fn clean_up_all(prompt: &PromptObject<'_>) -> Result<()> {
    let count = prompt.borrow().bag.effects().borrow().len();
    for place in 0..count {
        clean_up(prompt, place).await?;
    }
    Ok(())
}

async fn drop_removed(prompt: &PromptObject<'_>, defined: usize) -> Result<()> {
    let count = prompt.borrow().bag.effects().borrow().len();
    for place in defined..count {
        clean_up(prompt, place).await?;
    }
    prompt.borrow().bag.effects().borrow_mut().truncate(defined);
    Ok(())
}

async fn clean_up(prompt: &PromptObject<'_>, place: usize) -> Result<()> {
    // Taken before the call, so that a clean-up that throws is not called again at the end.
    if let Some(function) = update(prompt, place, |effect| effect.clean_up.take()).flatten() {
        call_async(&function, ()).await?;
    }
    Ok(())
}

fn is_due<'js>(ctx: &Ctx<'js>, effect: &Effect<'js>) -> Result<bool> {
    let (Some(deps), true) = (&effect.deps, effect.ran) else { return Ok(true) };
    let Some(last) = effect.last_deps.as_ref().filter(|last| last.len() == deps.len()) else { return Ok(true) };
    let object: Object = ctx.globals().get("Object")?;
    let is: Function = object.get("is")?;
    for (now, before) in deps.iter::<Value>().zip(last.iter::<Value>()) {
        // Not `===`, for which NaN would always be a change.
        if !is.call::<_, bool>((This(object.clone()), now?, before?))? {
            return Ok(true);
        }
    }
    Ok(false)
}
