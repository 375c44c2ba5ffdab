//! The log of one prompt's run while it is written: what an earlier process has done, and what has changed since the entry
//! before. Must not know when entries are made.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    rc::Rc,
};

use super::{
    entry::Entry,
    memory::{Memory, MemoryChange, StateText},
    restored::{Part, Restored},
    store::{Checkpoints, StoreError, Stored},
};
use crate::chat::ToolSpec;

/// The log of a prompt's run.
pub(crate) struct Log {
    checkpoints: Rc<dyn Checkpoints>,
    key: String,
    restored: Option<Rc<Restored>>,
    memory: RefCell<Memory>,
    /// States of which was told that they cannot be stored.
    told: RefCell<HashSet<String>>,
    /// How many messages of the conversation are in the log.
    pub history: Cell<usize>,
    /// The system prompt of the last request.
    system: RefCell<Option<String>>,
    /// The tools that its model was told of.
    tools: RefCell<Rc<[ToolSpec]>>,
    is_in_use: Cell<bool>,
}

impl Log {
    /// The log with this key, with what an earlier process has written to it. What cannot be gone on from counts as nothing.
    pub(crate) fn open(checkpoints: Rc<dyn Checkpoints>, key: &str) -> Self {
        let restored = checkpoints.restored(key).filter(|restored| {
            let is_begun = !restored.steps.is_empty() || restored.half.is_some() || !restored.parts.is_empty();
            let is_whole = restored.before.lost().chain(restored.after.lost()).next().is_none();
            // Of a run that is done nothing is remembered any more.
            is_begun && (is_whole || restored.is_done)
        });
        let (mut memory, mut history, mut system, mut tools) = (Memory::default(), 0, None, Rc::default());
        if let Some(restored) = &restored {
            memory = restored.after.clone();
            history = restored.history.len();
            if let Some(last) = restored.answers().last() {
                (system, tools) = (last.system.clone(), last.tools.clone());
            }
        }
        Log {
            checkpoints,
            key: key.to_owned(),
            restored,
            memory: RefCell::new(memory),
            told: RefCell::default(),
            history: Cell::new(history),
            system: RefCell::new(system),
            tools: RefCell::new(tools),
            is_in_use: Cell::new(false),
        }
    }

    /// Begins the run that the log is of. A prompt that is run once more, by hand, has no log for that.
    pub(crate) fn begin_run(&self) -> bool {
        !self.is_in_use.replace(true)
    }

    /// What an earlier process has done.
    pub(crate) fn restored(&self) -> Option<&Rc<Restored>> {
        self.restored.as_ref()
    }

    /// What an earlier process has done of another log.
    pub(crate) fn restored_of(&self, key: &str) -> Option<Rc<Restored>> {
        self.checkpoints.restored(key)
    }

    /// What was done of a part of a call that began in an earlier process, if the part asks for the same. `step` is the step
    /// that the call belongs to: names of calls come again.
    pub(crate) fn part(&self, step: Option<usize>, of: &str, number: usize, asked: &str) -> Option<Part> {
        let restored = self.restored.as_ref().filter(|restored| step == Some(restored.next_step()))?;
        restored.parts.get(of)?.get(&(asked.to_owned(), number)).cloned()
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// It could not be kept.
    pub(crate) fn append(&self, entry: Entry) -> Result<(), StoreError> {
        self.checkpoints.append(&self.key, entry)
    }

    /// Waits for steps that are over to be kept elsewhere as well, if they are.
    pub(crate) fn stored(&self) -> Option<Stored> {
        self.checkpoints.stored()
    }

    /// What has changed in the memory since the entry before; the next one goes on from here.
    pub(crate) fn change(&self, memory: Memory) -> MemoryChange {
        let change = memory.change_from(&self.memory.borrow());
        self.memory.replace(memory);
        change
    }

    /// The system prompt of a request, if it is another than that of the request before.
    pub(crate) fn new_system(&self, system: Option<String>) -> Option<Option<String>> {
        if *self.system.borrow() == system {
            return None;
        }
        self.system.replace(system.clone());
        Some(system)
    }

    /// The tools that a model is told of, if they are others than those of the request before.
    pub(crate) fn new_tools(&self, tools: &[ToolSpec]) -> Option<Vec<ToolSpec>> {
        if **self.tools.borrow() == *tools {
            return None;
        }
        self.tools.replace(tools.into());
        Some(tools.to_vec())
    }

    /// A memory in which states that hold a secret are lost; those of the entry before have been looked at.
    pub(crate) fn without_secrets(&self, mut memory: Memory) -> Memory {
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

    /// How often the model was told that its answer does not have its shape, by the entry before.
    pub(crate) fn asked_again(&self) -> usize {
        self.memory.borrow().asked_again
    }

    /// The states of a memory that cannot be stored and of which nobody has been told, each with the reason.
    pub(crate) fn newly_lost(&self, memory: &Memory) -> Vec<(String, String)> {
        let mut told = self.told.borrow_mut();
        let lost = memory.lost().map(|(name, reason)| (name.to_owned(), reason.to_owned()));
        let new: Vec<_> = lost.filter(|(name, _)| !told.contains(name)).collect();
        // One that can be stored again may be lost again.
        *told = memory.lost().map(|(name, _)| name.to_owned()).collect();
        new
    }
}
