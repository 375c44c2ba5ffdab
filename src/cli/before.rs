//! What earlier processes have done of a run that goes on, as far as it is shown. Must not know how it was kept.

use std::{collections::HashMap, time::Duration};

use crate::{
    checkpoint::Said,
    cost::Used,
    event::{LastAnswer, Summary, Sums},
};

/// What was done before this process.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    /// The name of the run.
    pub(super) run: String,
    /// The numbers of its agents, by their keys.
    pub(super) agents: HashMap<String, u64>,
    /// The step that it goes on at.
    pub(super) step: usize,
    /// The same in words.
    pub(super) notice: String,
    /// What it has come to.
    pub(super) sums: Sums,
    /// How many requests were answered.
    pub(super) requests: usize,
    /// How long it was at work, in milliseconds.
    pub(super) duration_ms: u64,
    /// The last answer of the file's own prompt.
    pub(super) last: Option<Said>,
}

impl Before {
    /// A summary that goes on from it.
    pub(super) fn goes_on_in(&self, summary: Summary) -> Summary {
        let mut summary = summary.going_on(&self.sums);
        let last = self.last.clone();
        let last = last.map(|Said { text, finish_reason, model }| LastAnswer { text, finish_reason, model });
        summary.take_up(self.duration_ms, last);
        summary
    }

    /// What counts of it where the whole run is limited.
    pub(super) fn used(&self) -> Used {
        let count = |tokens: Option<u64>| tokens.unwrap_or(0);
        Used {
            steps: self.requests as u64,
            tokens: count(self.sums.usage.input_tokens).saturating_add(count(self.sums.usage.output_tokens)),
            cost: self.sums.known_cost,
            time: Duration::from_millis(self.duration_ms),
        }
    }
}
