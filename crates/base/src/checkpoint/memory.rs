//! The memory of a prompt that outlasts its process: states, dependencies of effects, and what is due on the next step.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateText {
    /// The value as JSON, in the form that `script` writes.
    Value(Box<RawValue>),
    /// Why it cannot be stored, as the end of a sentence: `it holds a function at .handler`.
    Lost(String),
}

impl PartialEq for StateText {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (StateText::Value(one), StateText::Value(other)) => one.get() == other.get(),
            (StateText::Lost(one), StateText::Lost(other)) => one == other,
            _ => false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    pub states: BTreeMap<String, StateText>,
    /// The dependencies of effects at their last run, in call order, in a form of `script`.
    pub effects: Value,
    /// Reminders, hidden definitions and waiting messages for the next step, in a form of `prompt`.
    pub due: Value,
    /// How often the model was asked to correct the shape of its answer.
    pub asked_again: usize,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryChange {
    /// The new values of changed states; `None` for removed ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<String, Option<StateText>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_again: Option<usize>,
}

impl MemoryChange {
    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.effects.is_none() && self.due.is_none() && self.asked_again.is_none()
    }
}

impl Memory {
    /// The changes from `before` to this memory.
    pub fn change_from(&self, before: &Memory) -> MemoryChange {
        let changed = self.states.iter().filter(|(name, text)| before.states.get(*name) != Some(text));
        let gone = before.states.keys().filter(|name| !self.states.contains_key(*name));
        let states = changed
            .map(|(name, text)| (name.clone(), Some(text.clone())))
            .chain(gone.map(|name| (name.clone(), None)))
            .collect();
        MemoryChange {
            states,
            effects: (self.effects != before.effects).then(|| self.effects.clone()),
            due: (self.due != before.due).then(|| self.due.clone()),
            asked_again: (self.asked_again != before.asked_again).then_some(self.asked_again),
        }
    }

    pub fn apply(&mut self, change: &MemoryChange) {
        for (name, text) in &change.states {
            match text {
                Some(text) => self.states.insert(name.clone(), text.clone()),
                None => self.states.remove(name),
            };
        }
        if let Some(effects) = &change.effects {
            self.effects = effects.clone();
        }
        if let Some(due) = &change.due {
            self.due = due.clone();
        }
        self.asked_again = change.asked_again.unwrap_or(self.asked_again);
    }

    pub fn lost(&self) -> impl Iterator<Item = (&str, &str)> {
        self.states.iter().filter_map(|(name, text)| match text {
            StateText::Value(_) => None,
            StateText::Lost(reason) => Some((name.as_str(), reason.as_str())),
        })
    }
}
