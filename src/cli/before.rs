//! What earlier processes have done of a run that goes on, as far as it is shown. Must not know how it was kept.

use std::collections::HashMap;

use crate::event::{LastAnswer, Summary, Sums};

/// What was done before this process.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// The name of the run.
    pub(super) run: String,
    /// The numbers of its agents, by their keys.
    pub(super) agents: HashMap<String, u64>,
    /// The step that it goes on at.
    pub(super) step: usize,
    /// What it has come to.
    pub(super) sums: Sums,
    /// How long it was at work, in milliseconds.
    pub(super) duration_ms: u64,
    /// The last answer of the file's own prompt.
    pub(super) last: Option<LastAnswer>,
}

impl Before {
    /// A summary that goes on from it.
    pub(super) fn goes_on_in(&self, summary: Summary) -> Summary {
        let mut summary = summary.going_on(&self.sums);
        summary.take_up(self.duration_ms, self.last.clone());
        summary
    }
}
