//! `defEffect` and running effects (SPEC 4).

use std::{cell::RefCell, rc::Rc};

use rquickjs::{Array, Class, Ctx, Function, Object, Result, Value, function::This};

use super::{
    effect_context::EffectContext,
    stateful_prompt::{Call, Core},
    step_modifier,
    values::{call_async, elements, kind_of, property, type_error},
};
use crate::prompt::StepModifications;

/// `defEffect(fn, deps?)`: `fn(context, stepModifier)` runs after the body and before the step's request: on every step
/// without `deps`, once with `[]`, else when a dependency changed by `Object.is`. Effects are told apart by call order.
/// `fn` may be async and may return a clean-up, run before its next run and at the end.
/// Throws a `TypeError` when `fn` is not a function or `deps` not an array.
pub(super) fn def_effect(call: Call<'_>) -> Result<Value<'_>> {
    let function = call.function(0, "defEffect: the effect")?;
    let deps = call.arg(1);
    if !deps.is_undefined() && !deps.is_null() && !deps.is_array() {
        let message = format!("defEffect: the dependencies must be an array, got {}", kind_of(&deps));
        return Err(type_error(&call.ctx, message));
    }
    let place = call.core.next_effect.replace(call.core.next_effect.get() + 1);
    let effects = list(&call.bag)?;
    let entry = match effects.get::<Value>(place)?.into_object() {
        Some(entry) => entry,
        None => {
            let entry = Object::new(call.ctx.clone())?;
            effects.set(place, entry.clone())?;
            entry
        }
    };
    entry.set("fn", function)?;
    entry.set("deps", deps)?;
    Ok(Value::new_undefined(call.ctx.clone()))
}

fn list<'js>(bag: &Object<'js>) -> Result<Array<'js>> {
    if let Some(list) = property(bag, "effects")?.and_then(Value::into_array) {
        return Ok(list);
    }
    let list = Array::new(bag.ctx().clone())?;
    bag.set("effects", list.clone())?;
    Ok(list)
}

/// Runs the effects that are due, in call order, and returns what they asked for. Effects that the last run of the body
/// did not make again are cleaned up and forgotten.
pub(super) async fn run_due<'js>(ctx: &Ctx<'js>, bag: &Object<'js>, core: &Rc<Core>) -> Result<StepModifications> {
    let effects = list(bag)?;
    drop_unmade(&effects, core.next_effect.get()).await?;
    let modifications = Rc::new(RefCell::new(StepModifications::default()));
    let mut arguments: Option<(Value, Function)> = None;
    for entry in elements(&effects)? {
        let Some(entry) = entry.into_object() else { continue };
        if !is_due(ctx, &entry)? {
            continue;
        }
        clean_up(&entry).await?;
        entry.set("lastDeps", entry.get::<_, Value>("deps")?)?;
        entry.set("ran", true)?;
        let (context, modifier) = match &arguments {
            Some(made) => made.clone(),
            None => {
                let context = Class::instance(ctx.clone(), EffectContext::new(ctx, bag, core)?)?.into_value();
                let modifier = step_modifier::create(ctx, core, &modifications)?;
                arguments.insert((context, modifier)).clone()
            }
        };
        let function: Function = entry.get("fn")?;
        let answer = call_async(&function, (context, modifier)).await?;
        if answer.is_function() {
            entry.set("cleanUp", answer)?;
        }
    }
    drop(arguments);
    Ok(modifications.take())
}

/// Runs every clean-up that is left; at the end of a run.
pub(super) async fn clean_up_all(bag: &Object<'_>) -> Result<()> {
    for entry in elements(&list(bag)?)? {
        if let Some(entry) = entry.into_object() {
            clean_up(&entry).await?;
        }
    }
    Ok(())
}

async fn drop_unmade(effects: &Array<'_>, made: usize) -> Result<()> {
    let length = effects.len();
    for place in made..length {
        if let Some(entry) = effects.get::<Value>(place)?.into_object() {
            clean_up(&entry).await?;
        }
    }
    if made < length {
        effects.as_object().set("length", made)?;
    }
    Ok(())
}

async fn clean_up(entry: &Object<'_>) -> Result<()> {
    let clean_up: Value = entry.get("cleanUp")?;
    if let Some(function) = clean_up.as_function() {
        entry.remove("cleanUp")?;
        call_async(function, ()).await?;
    }
    Ok(())
}

fn is_due<'js>(ctx: &Ctx<'js>, entry: &Object<'js>) -> Result<bool> {
    let deps: Value = entry.get("deps")?;
    let (Some(deps), true) = (deps.as_array(), entry.contains_key("ran")?) else { return Ok(true) };
    let last: Value = entry.get("lastDeps")?;
    let Some(last) = last.as_array().filter(|last| last.len() == deps.len()) else { return Ok(true) };
    let object: Object = ctx.globals().get("Object")?;
    let is: Function = object.get("is")?;
    for (now, before) in deps.iter::<Value>().zip(last.iter::<Value>()) {
        if !is.call::<_, bool>((This(object.clone()), now?, before?))? {
            return Ok(true);
        }
    }
    Ok(false)
}
