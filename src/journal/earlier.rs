//! What an earlier process has done of a run. Must not know where it was kept.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use super::{error::JournalError, file::Journal, read::Logs, runs::RunInfo};
use crate::{
    checkpoint::{Entry, Restored, restore},
    event::{Record, Seen, Sums},
};

/// What an earlier process has done; nothing for a run that begins.
#[derive(Default)]
pub(crate) struct Earlier {
    /// What it has used.
    pub(crate) sums: Sums,
    /// The numbers of its agents, by the keys of their runs.
    pub(crate) agents: HashMap<String, u64>,
    /// Logs that nobody has asked for yet.
    logs: RefCell<Logs>,
    /// The others, put together.
    restored: RefCell<HashMap<String, Rc<Restored>>>,
    /// Which turns of which mocks were answered for good.
    played: Vec<(usize, usize)>,
}

impl Earlier {
    pub(super) fn read(journal: &Journal, run: &RunInfo) -> Result<Self, JournalError> {
        let (logs, agents) = (journal.logs(run)?, journal.agents(run)?);
        let played = |entry: &Entry| match entry {
            Entry::Answered(answered) => answered.played.and_then(|played| Some((played.mock?, played.turn))),
            _ => None,
        };
        let played = logs.values().flatten().filter_map(played).collect();
        Ok(Earlier { sums: run.sums, agents, logs: RefCell::new(logs), restored: RefCell::default(), played })
    }

    pub(super) fn played(&self, mock: usize) -> Vec<usize> {
        self.played.iter().filter(|(of, _)| *of == mock).map(|(_, turn)| *turn).collect()
    }

    /// What was done of one prompt's run. `record` is told what lines have said of its requests.
    pub(super) fn restored(&self, key: &str, record: &mut Record) -> Option<Rc<Restored>> {
        if let Some(known) = self.restored.borrow().get(key) {
            return Some(known.clone());
        }
        let restored = Rc::new(restore(self.logs.borrow_mut().remove(key)?, None));
        let number = if key.is_empty() { Some(0) } else { self.agents.get(key).copied() };
        if let Some(number) = number {
            record.set_seen(number, seen(&restored));
        }
        self.restored.borrow_mut().insert(key.to_owned(), restored.clone());
        Some(restored)
    }
}

/// What lines have said of the requests of a prompt's run.
fn seen(restored: &Restored) -> Seen {
    let last = restored.half.as_ref().map(|half| &half.step).or(restored.steps.last());
    let tools = last.map(|step| step.tools.as_slice().into());
    Seen::before(last.and_then(|step| step.system.clone()), restored.history.len(), tools)
}
