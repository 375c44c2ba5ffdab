//! Writes the log of one prompt's run, and provides what an earlier process wrote to it.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    rc::Rc,
};

use super::{
    entry::{Entry, PlayedTurn},
    memory::{Memory, MemoryChange, StateText},
    restored::{CallPart, Restored},
    store::{Checkpoints, StoredFuture},
};
use crate::chat::ToolSpec;

pub struct PromptLog {
    checkpoints: Rc<dyn Checkpoints>,
    key: String,
    restored: Option<Rc<Restored>>,
    memory: RefCell<Memory>,
    reported_lost: RefCell<HashSet<String>>,
    pub history: Cell<usize>,
    /// The number of steps whose answers are logged.
    pub answered: Cell<usize>,
    system: RefCell<Option<String>>,
    tools: RefCell<Rc<[ToolSpec]>>,
    is_in_use: Cell<bool>,
}

impl PromptLog {
    /// Opens the log with this key. A log that cannot be resumed counts as empty.
    pub fn open(checkpoints: Rc<dyn Checkpoints>, key: &str) -> Self {
        let restored = checkpoints.restored(key).filter(|restored| {
            let has_entries = !restored.history.is_empty()
                || !restored.steps.is_empty()
                || restored.unfinished.is_some()
                || !restored.parts.is_empty();
            let is_whole = restored.before.lost().chain(restored.after.lost()).next().is_none();
            // A finished run needs no states.
            has_entries && (is_whole || restored.is_done)
        });
        let (mut memory, mut history, mut answered) = (Memory::default(), 0, 0);
        let (mut system, mut tools) = (None, Rc::default());
        if let Some(restored) = &restored {
            memory = restored.after.clone();
            history = restored.history.len();
            answered = restored.answers().count();
            if let Some(last) = restored.answers().last() {
                (system, tools) = (last.system.clone(), last.tools.clone());
            }
        }
        PromptLog {
            checkpoints,
            key: key.to_owned(),
            restored,
            memory: RefCell::new(memory),
            reported_lost: RefCell::default(),
            history: Cell::new(history),
            answered: Cell::new(answered),
            system: RefCell::new(system),
            tools: RefCell::new(tools),
            is_in_use: Cell::new(false),
        }
    }

    /// Returns whether the log is free for a run. A prompt that the script runs a second time has no log.
    pub fn begin_run(&self) -> bool {
        !self.is_in_use.replace(true)
    }

    pub fn restored(&self) -> Option<&Rc<Restored>> {
        self.restored.as_ref()
    }

    pub fn restored_of(&self, key: &str) -> Option<Rc<Restored>> {
        self.checkpoints.restored(key)
    }

    /// The part of a call that started in an earlier process, if its digest matches. `step` is the step of the call, as ids of
    /// calls may repeat.
    pub fn part(&self, step: Option<usize>, of: &str, number: usize, asked: &str) -> Option<CallPart> {
        let restored = self.restored.as_ref().filter(|restored| step == Some(restored.next_step()))?;
        restored.parts.get(of)?.get(&(asked.to_owned(), number)).cloned()
    }

    /// See [`Checkpoints::note_played`].
    pub fn note_played(&self, turn: PlayedTurn) {
        self.checkpoints.note_played(turn);
    }

    /// See [`Checkpoints::append`].
    pub fn append(&self, entry: Entry) -> StoredFuture<'static> {
        self.checkpoints.append(&self.key, entry)
    }

    /// Waits until finished steps are also stored elsewhere, if they are.
    pub fn stored(&self) -> Option<StoredFuture<'static>> {
        self.checkpoints.stored()
    }

    pub fn change(&self, memory: Memory) -> MemoryChange {
        let change = memory.change_from(&self.memory.borrow());
        self.memory.replace(memory);
        change
    }

    /// The system prompt of a request, if it differs from that of the last request.
    pub fn new_system(&self, system: Option<String>) -> Option<Option<String>> {
        if *self.system.borrow() == system {
            return None;
        }
        self.system.replace(system.clone());
        Some(system)
    }

    /// The tools of a request, if they differ from those of the last request.
    pub fn new_tools(&self, tools: &[ToolSpec]) -> Option<Vec<ToolSpec>> {
        if **self.tools.borrow() == *tools {
            return None;
        }
        self.tools.replace(tools.into());
        Some(tools.to_vec())
    }

    /// Replaces states that contain a secret. States that have not changed since the last entry were checked before.
    pub fn without_secrets(&self, mut memory: Memory) -> Memory {
        let before = self.memory.borrow();
        for (name, text) in &mut memory.states {
            if let StateText::Value(value) = &*text
                && before.states.get(name) != Some(text)
                && self.checkpoints.holds_secret(value.get())
            {
                *text = StateText::Lost("it holds a secret".to_owned());
            }
        }
        memory
    }

    /// How often the model had been asked to correct the shape of its answer, as of the last entry.
    pub fn asked_again(&self) -> usize {
        self.memory.borrow().asked_again
    }

    /// States that cannot be stored and have not been reported yet, each with the reason.
    pub fn newly_lost(&self, memory: &Memory) -> Vec<(String, String)> {
        let mut reported_lost = self.reported_lost.borrow_mut();
        let lost = memory.lost().map(|(name, reason)| (name.to_owned(), reason.to_owned()));
        let new: Vec<_> = lost.filter(|(name, _)| !reported_lost.contains(name)).collect();
        // A state that can be stored again may be lost again.
        *reported_lost = memory.lost().map(|(name, _)| name.to_owned()).collect();
        new
    }
}
