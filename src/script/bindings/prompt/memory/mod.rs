//! States and dependencies of effects as texts, and back: what of a prompt's values outlasts the process. The texts are those of
//! `runtime-js/src/builtins/internal/state-text.js`. Must not know when they are asked for, nor where they are kept.

use std::{cell::RefCell, collections::BTreeMap};

use rquickjs::{Array, Ctx, Function, JsLifetime, Object, Result, Value};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{bag::Effect, object::PromptObject, state_entry::StateEntry};
use crate::{
    checkpoint::{Memory, StateText},
    script::{
        bindings::values::{elements, plain_error},
        import_builtin,
    },
};

/// What writes and reads texts, once it is needed.
#[derive(Default, JsLifetime)]
struct StateTexts<'js>(RefCell<Option<Object<'js>>>);

/// What is remembered beside the states: the stored form of [`Memory::effects`].
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Beside {
    /// For each effect what its last run depended on, as a text; null for those that count as not run.
    #[serde(skip_serializing_if = "String::is_empty")]
    dependencies: String,
    /// How often a state was given another object. As long as that is the same, its object was changed in place.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    replaced: BTreeMap<String, u32>,
    /// The states `taskList` and `taskGraph` are those of the plugins.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    task_list: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    task_graph: bool,
}

/// Part of preparing an engine.
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

/// The states of a prompt and what its effects depend on. Runs no code of the script's. What is due, and how often the model was asked
/// again, is for others to add.
pub(crate) fn memory<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Memory> {
    let states = prompt.borrow().bag.states();
    let dependencies = dependencies_of_effects(prompt);
    if states.is_empty() && dependencies.is_empty() {
        return Ok(Memory::default());
    }
    let (names, values) = (Array::new(ctx.clone())?, Array::new(ctx.clone())?);
    let mut beside = beside(prompt);
    for (place, (name, entry)) in states.iter().enumerate() {
        let value = entry.value()?;
        if value.is_object() && entry.replaced()? > 0 {
            beside.replaced.insert(name.clone(), entry.replaced()?);
        }
        names.set(place, name.as_str())?;
        values.set(place, value)?;
    }
    let lists = Array::new(ctx.clone())?;
    for (place, list) in dependencies.into_iter().enumerate() {
        // `None` is for null: `undefined` would be told apart for nothing.
        lists.set(place, list.map_or_else(|| Value::new_null(ctx.clone()), Array::into_value))?;
    }
    let is_anything_remembered = !lists.is_empty();
    let input = prompt.borrow().bag.input();
    let written: Array = state_texts(ctx, "writeStates")?.call((names, values, lists, input))?;
    let texts: Array = written.get(0)?;
    if is_anything_remembered {
        beside.dependencies = written.get(1)?;
    }
    let mut memory = Memory::default();
    for ((name, _), text) in states.into_iter().zip(elements(&texts)?) {
        memory.states.insert(name, state_text(ctx, &text)?);
    }
    if beside != Beside::default() {
        memory.effects = serde_json::to_value(&beside).map_err(|error| plain_error(ctx, error.to_string()))?;
    }
    Ok(memory)
}

/// A text, or the list of the reason why there is none.
fn state_text<'js>(ctx: &Ctx<'js>, written: &Value<'js>) -> Result<StateText> {
    if let Some(reason) = written.as_array() {
        return Ok(StateText::Lost(reason.get(0)?));
    }
    let text = RawValue::from_string(written.get()?).map_err(|error| plain_error(ctx, error.to_string()))?;
    Ok(StateText::Value(text))
}

fn beside(prompt: &PromptObject<'_>) -> Beside {
    let prompt = prompt.borrow();
    Beside {
        task_list: prompt.core.has_task_list.get(),
        task_graph: prompt.bag.task_graph().is_some() || prompt.core.has_stored_task_graph.get(),
        ..Beside::default()
    }
}

/// What the last run of each effect depended on; `None` for one that runs again in another process: it has not run, it runs on every
/// step, or what it set up, and a clean-up would end, ends with this process. Those at the end are left out.
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

/// Puts states and dependencies of effects in place, before the body runs or after it has run. States that are not remembered stay
/// as they are, and so do the setters. A state whose object was changed in place since it was put back stays that object, so that
/// whoever holds it sees the change.
///
/// # Errors
/// A text that none of ours can be.
pub(crate) fn restore<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, memory: &Memory) -> Result<()> {
    let beside = match &memory.effects {
        serde_json::Value::Null => Beside::default(),
        effects => Beside::deserialize(effects).map_err(|error| plain_error(ctx, unreadable(&error)))?,
    };
    let known = memory.states.iter().filter_map(|(name, text)| match text {
        StateText::Value(text) => Some((name.as_str(), text.get())),
        StateText::Lost(_) => None,
    });
    let known: Vec<(&str, &str)> = known.collect();
    if known.is_empty() && beside.dependencies.is_empty() {
        return Ok(());
    }
    let read = read(ctx, prompt, &known, &beside)?;
    let (values, lists): (Array, Array) = (read.get(0)?, read.get(1)?);
    for ((name, _), value) in known.iter().zip(elements(&values)?) {
        put_state(ctx, prompt, name, value, beside.replaced.get(*name).copied().unwrap_or_default())?;
    }
    put_dependencies(ctx, prompt, &elements(&lists)?)?;
    let core = prompt.borrow().core.clone();
    core.has_task_list.set(core.has_task_list.get() || beside.task_list);
    core.has_stored_task_graph.set(beside.task_graph);
    Ok(())
}

fn unreadable(error: &serde_json::Error) -> String {
    format!("what the effects of a prompt depended on cannot be read: {error}")
}

fn read<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    known: &[(&str, &str)],
    beside: &Beside,
) -> Result<Array<'js>> {
    let [names, texts, old] = [(); 3].map(|()| Array::new(ctx.clone()));
    let (names, texts, old) = (names?, texts?, old?);
    for (place, (name, text)) in known.iter().enumerate() {
        names.set(place, *name)?;
        texts.set(place, *text)?;
        let entry = prompt.borrow().bag.state(name);
        let replaced = beside.replaced.get(*name).copied().unwrap_or_default();
        if let Some(entry) = entry.filter(|entry| entry.replaced().is_ok_and(|now| now == replaced)) {
            let kept = Array::new(ctx.clone())?;
            kept.set(0, entry.value()?)?;
            old.set(place, kept)?;
        }
    }
    let dependencies = if beside.dependencies.is_empty() { "[]" } else { beside.dependencies.as_str() };
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
        Some(entry) => entry.put_back(value, replaced),
        None => {
            let entry = StateEntry::create(ctx, value.clone())?;
            entry.put_back(value, replaced)?;
            prompt.borrow().bag.set_state(name.to_owned(), entry);
            Ok(())
        }
    }
}

/// Sets what effects depended on. Where there is none yet, one that does nothing keeps the place until the body makes it.
fn put_dependencies<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, lists: &[Value<'js>]) -> Result<()> {
    let nothing = Function::new(ctx.clone(), || ())?;
    let prompt = prompt.borrow();
    let mut effects = prompt.bag.effects().borrow_mut();
    for (place, list) in lists.iter().enumerate() {
        let last_deps = list.as_array().cloned();
        let ran = last_deps.is_some();
        match effects.get_mut(place) {
            Some(effect) => (effect.last_deps, effect.ran) = (last_deps, ran),
            None => {
                let (function, deps) = (nothing.clone(), last_deps.clone());
                effects.push(Effect { function, deps, last_deps, ran, clean_up: None });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
