//! States and effect dependencies as texts, to restore them in another process.
//!
//! The texts are those of `runtime-js/src/builtins/internal/state-text.js`.

use std::{cell::RefCell, collections::BTreeMap};

use rquickjs::{Array, Ctx, Function, JsLifetime, Object, Result, Value};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{bag::Effect, object::PromptObject, state_entry::StateEntry};
use crate::bindings::values::{elements, plain_error};
use lmthing_base::checkpoint::{Memory, StateText};
use lmthing_node::import_builtin;

#[derive(Default, JsLifetime)]
struct StateTexts<'js>(RefCell<Option<Object<'js>>>);

#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EffectMemory {
    /// The last dependencies of each effect, as a text; null for effects that count as not run.
    #[serde(skip_serializing_if = "String::is_empty")]
    dependencies: String,
    /// How often each state was given another object. While the count is the same, the object was changed in place.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    replaced: BTreeMap<String, u32>,
    /// Whether the states `taskList` and `taskGraph` are those of the plugins.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    task_list: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    task_graph: bool,
}

pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let stored = ctx.store_userdata(StateTexts::default());
    stored.map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

fn state_texts<'js>(ctx: &Ctx<'js>, function: &str) -> Result<Function<'js>> {
    let known = ctx.userdata::<StateTexts>().and_then(|texts| texts.0.borrow().clone());
    let module = match known {
        Some(module) => module,
        None => {
            let module = import_builtin(ctx, "lmthing:internal/state-text")?;
            if let Some(texts) = ctx.userdata::<StateTexts>() {
                texts.0.replace(Some(module.clone()));
            }
            module
        }
    };
    module.get(function)
}

/// The states of a prompt and the dependencies of its effects. Runs no code of the script. The caller adds the other
/// fields.
pub(crate) fn capture<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Memory> {
    let states = prompt.borrow().bag.states();
    let dependencies = dependencies_of_effects(prompt);
    if states.is_empty() && dependencies.is_empty() {
        return Ok(Memory::default());
    }
    let (names, values) = (Array::new(ctx.clone())?, Array::new(ctx.clone())?);
    let mut effects_memory = effects_memory(prompt);
    for (index, (name, entry)) in states.iter().enumerate() {
        let value = entry.value()?;
        if value.is_object() && entry.replaced()? > 0 {
            effects_memory.replaced.insert(name.clone(), entry.replaced()?);
        }
        names.set(index, name.as_str())?;
        values.set(index, value)?;
    }
    let lists = Array::new(ctx.clone())?;
    for (index, list) in dependencies.into_iter().enumerate() {
        // `null`, as `undefined` is a possible value of a dependency.
        lists.set(index, list.map_or_else(|| Value::new_null(ctx.clone()), Array::into_value))?;
    }
    let has_dependencies = !lists.is_empty();
    let input = prompt.borrow().bag.input();
    let written: Array = state_texts(ctx, "writeStates")?.call((names, values, lists, input))?;
    let texts: Array = written.get(0)?;
    if has_dependencies {
        effects_memory.dependencies = written.get(1)?;
    }
    let mut memory = Memory::default();
    for ((name, _), text) in states.into_iter().zip(elements(&texts)?) {
        memory.states.insert(name, state_text(ctx, &text)?);
    }
    if effects_memory != EffectMemory::default() {
        memory.effects = serde_json::to_value(&effects_memory).map_err(|error| plain_error(ctx, error.to_string()))?;
    }
    Ok(memory)
}

/// A text, or an array with the reason why there is none.
fn state_text<'js>(ctx: &Ctx<'js>, written: &Value<'js>) -> Result<StateText> {
    if let Some(reason) = written.as_array() {
        return Ok(StateText::Lost(reason.get(0)?));
    }
    let text = RawValue::from_string(written.get()?).map_err(|error| plain_error(ctx, error.to_string()))?;
    Ok(StateText::Value(text))
}

fn effects_memory(prompt: &PromptObject<'_>) -> EffectMemory {
    let prompt = prompt.borrow();
    EffectMemory {
        task_list: prompt.core.has_task_list.get(),
        task_graph: prompt.bag.task_graph().is_some() || prompt.core.has_stored_task_graph.get(),
        ..EffectMemory::default()
    }
}

/// The dependencies of each effect's last run. `None` for an effect that must run again in another process: it has
/// not run, runs on every step, or has a clean-up, whose set-up ends with this process. Trailing `None`s are dropped.
fn dependencies_of_effects<'js>(prompt: &PromptObject<'js>) -> Vec<Option<Array<'js>>> {
    let prompt = prompt.borrow();
    let effects = prompt.bag.effects().borrow();
    let lasting = |effect: &Effect<'js>| effect.last_deps.clone().filter(|_| effect.ran && effect.clean_up.is_none());
    let mut lists: Vec<_> = effects.iter().map(lasting).collect();
    while lists.last().is_some_and(Option::is_none) {
        lists.pop();
    }
    lists
}

/// Restores states and effect dependencies, before or after the body runs. States that are not in `memory` and
/// setters stay. An object that was changed in place stays the same object, so that other references see the change.
/// Fails for a text that was not written by [`capture`].
pub(crate) fn restore<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, memory: &Memory) -> Result<()> {
    let effects_memory = match &memory.effects {
        serde_json::Value::Null => EffectMemory::default(),
        effects => EffectMemory::deserialize(effects).map_err(|error| plain_error(ctx, unreadable(&error)))?,
    };
    let known = memory.states.iter().filter_map(|(name, text)| match text {
        StateText::Value(text) => Some((name.as_str(), text.get())),
        StateText::Lost(_) => None,
    });
    let known: Vec<(&str, &str)> = known.collect();
    if known.is_empty() && effects_memory.dependencies.is_empty() {
        return Ok(());
    }
    let read = read(ctx, prompt, &known, &effects_memory)?;
    let (values, lists): (Array, Array) = (read.get(0)?, read.get(1)?);
    for ((name, _), value) in known.iter().zip(elements(&values)?) {
        put_state(ctx, prompt, name, value, effects_memory.replaced.get(*name).copied().unwrap_or_default())?;
    }
    put_dependencies(ctx, prompt, &elements(&lists)?)?;
    let core = prompt.borrow().core.clone();
    core.has_task_list.set(core.has_task_list.get() || effects_memory.task_list);
    core.has_stored_task_graph.set(effects_memory.task_graph);
    Ok(())
}

fn unreadable(error: &serde_json::Error) -> String {
    format!("what the effects of a prompt depended on cannot be read: {error}")
}

fn read<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    known: &[(&str, &str)],
    effects_memory: &EffectMemory,
) -> Result<Array<'js>> {
    let [names, texts, old] = [(); 3].map(|()| Array::new(ctx.clone()));
    let (names, texts, old) = (names?, texts?, old?);
    for (index, (name, text)) in known.iter().enumerate() {
        names.set(index, *name)?;
        texts.set(index, *text)?;
        let entry = prompt.borrow().bag.state(name);
        let replaced = effects_memory.replaced.get(*name).copied().unwrap_or_default();
        if let Some(entry) = entry.filter(|entry| entry.replaced().is_ok_and(|now| now == replaced)) {
            let kept = Array::new(ctx.clone())?;
            kept.set(0, entry.value()?)?;
            old.set(index, kept)?;
        }
    }
    let dependencies = if effects_memory.dependencies.is_empty() { "[]" } else { effects_memory.dependencies.as_str() };
    let input = prompt.borrow().bag.input();
    state_texts(ctx, "readStates")?.call((names, texts, old, dependencies, input))
}

fn put_state<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    name: &str,
    value: Value<'js>,
    replaced: u32,
) -> Result<()> {
    let known = prompt.borrow().bag.state(name);
    match known {
        Some(entry) => entry.restore(value, replaced),
        None => {
            let entry = StateEntry::create(ctx, value.clone())?;
            entry.restore(value, replaced)?;
            prompt.borrow().bag.set_state(name.to_owned(), entry);
            Ok(())
        }
    }
}

/// Sets effect dependencies. An effect that does not exist yet is a no-op until the body defines it.
fn put_dependencies<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, lists: &[Value<'js>]) -> Result<()> {
    let no_op = Function::new(ctx.clone(), || ())?;
    let prompt = prompt.borrow();
    let mut effects = prompt.bag.effects().borrow_mut();
    for (index, list) in lists.iter().enumerate() {
        let last_deps = list.as_array().cloned();
        let ran = last_deps.is_some();
        match effects.get_mut(index) {
            Some(effect) => (effect.last_deps, effect.ran) = (last_deps, ran),
            None => {
                let (function, deps) = (no_op.clone(), last_deps.clone());
                effects.push(Effect { function, deps, last_deps, ran, clean_up: None });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
