//! A row from its first attempt to its end, with what attempts used. Must not know other rows.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{
    chat::Usage,
    cost::RunUsage,
    map::results::{Outcome, Place},
    session::WatchedRun,
    threads::ThreadId,
};

/// A row that was begun.
#[derive(Clone)]
pub(super) struct Running {
    pub(super) row: u64,
    pub(super) input: Map<String, Value>,
    pub(super) attempt: u32,
    /// Attempts that count, and those that servers refused.
    pub(super) failures: u32,
    pub(super) refusals: u32,
    pub(super) thread: Option<ThreadId>,
    /// The attempt that is under way.
    pub(super) watched: WatchedRun,
    /// Which of its runs at a server is next.
    pub(super) place: Option<Place>,
    /// What earlier attempts used.
    pub(super) usage: Usage,
    pub(super) cost: Option<f64>,
    pub(super) took: Duration,
}

impl Running {
    pub(super) fn new(row: u64, input: Map<String, Value>) -> Self {
        Running {
            row,
            input,
            attempt: 1,
            failures: 0,
            refusals: 0,
            thread: None,
            watched: WatchedRun::default(),
            place: None,
            usage: Usage::default(),
            cost: Some(0.0),
            took: Duration::ZERO,
        }
    }

    /// Takes in what an attempt used.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.usage = self.usage.plus(outcome.usage);
        self.cost = self.cost.zip(outcome.cost).map(|(before, cost)| before + cost);
        self.took += outcome.took;
    }
}

/// What a run at a server has used.
pub(super) fn used(outcome: &Outcome) -> RunUsage {
    let Usage { input_tokens, output_tokens, .. } = outcome.usage;
    let tokens = input_tokens.unwrap_or_default() + output_tokens.unwrap_or_default();
    RunUsage { steps: outcome.steps, tokens, cost: outcome.cost.unwrap_or_default(), time: Duration::ZERO }
}
