//! State of a row across its attempts.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::results::{RemoteAttempt, RowOutcome};
use lmthing_base::{chat::Usage, cost::RunUsage};
use lmthing_engine::session::WatchedRun;

#[derive(Clone)]
pub(super) struct RunningRow {
    pub(super) row: u64,
    pub(super) input: Map<String, Value>,
    pub(super) attempt: u32,
    /// The number of the attempt's job in the pool of threads.
    pub(super) job: u64,
    /// Attempts that failed, without those that were rate-limited.
    pub(super) failures: u32,
    pub(super) refusals: u32,
    pub(super) watched: WatchedRun,
    pub(super) remote_attempt: Option<RemoteAttempt>,
    pub(super) usage: Usage,
    pub(super) cost: Option<f64>,
    pub(super) took: Duration,
}

impl RunningRow {
    pub(super) fn new(row: u64, input: Map<String, Value>) -> Self {
        RunningRow {
            row,
            input,
            attempt: 1,
            job: 0,
            failures: 0,
            refusals: 0,
            watched: WatchedRun::default(),
            remote_attempt: None,
            usage: Usage::default(),
            cost: Some(0.0),
            took: Duration::ZERO,
        }
    }

    pub(super) fn add(&mut self, outcome: &RowOutcome) {
        self.usage = self.usage.plus(outcome.usage);
        self.cost = self.cost.zip(outcome.cost).map(|(before, cost)| before + cost);
        self.took += outcome.took;
    }
}

pub(super) fn used(outcome: &RowOutcome) -> RunUsage {
    let Usage { input_tokens, output_tokens, .. } = outcome.usage;
    let tokens = input_tokens.unwrap_or_default() + output_tokens.unwrap_or_default();
    RunUsage { steps: outcome.steps, tokens, cost: outcome.cost.unwrap_or_default(), time: Duration::ZERO }
}
