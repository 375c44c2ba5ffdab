//! State of a row across its attempts.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{
    batches::{RowProgress, StoredRow, milliseconds},
    results::{RemoteAttempt, RowOutcome},
};
use lmthing_base::{chat::Usage, cost::RunUsage};
use lmthing_engine::session::WatchedRun;

#[derive(Clone)]
pub(super) struct RunningRow {
    pub(super) row: u64,
    pub(super) input: Map<String, Value>,
    /// The size of the files that it names, in bytes.
    pub(super) files: u64,
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
    /// Set if its requests go into batches.
    pub(super) batched: Option<BatchedRow>,
}

/// A row in the file of batches.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchedRow {
    pub(super) id: i64,
    /// When it began, in milliseconds since 1970.
    pub(super) began: u64,
    /// How long the runs were at work that this one continues.
    pub(super) worked: Duration,
}

impl RunningRow {
    pub(super) fn new(row: u64, input: Map<String, Value>) -> Self {
        RunningRow {
            row,
            input,
            files: 0,
            attempt: 1,
            job: 0,
            failures: 0,
            refusals: 0,
            watched: WatchedRun::default(),
            remote_attempt: None,
            usage: Usage::default(),
            cost: Some(0.0),
            took: Duration::ZERO,
            batched: None,
        }
    }

    /// A row that has waited for answers.
    pub(super) fn of_stored(stored: StoredRow) -> Self {
        let StoredRow { id, row, input, attempt, progress } = stored;
        let RowProgress { failures, usage, cost, began, worked } = progress;
        let batched = Some(BatchedRow { id, began, worked });
        RunningRow { attempt, failures, usage, cost, batched, ..RunningRow::new(row, input) }
    }

    pub(super) fn progress(&self) -> RowProgress {
        let (began, worked) = self.batched.map_or_else(Default::default, |batched| (batched.began, batched.worked));
        RowProgress { failures: self.failures, usage: self.usage, cost: self.cost, began, worked }
    }

    /// How long it took with all attempts. The time that it waited for batches counts.
    pub(super) fn took_until_now(&self, last: Duration) -> Duration {
        match self.batched {
            Some(BatchedRow { began, .. }) => Duration::from_millis(milliseconds().saturating_sub(began)),
            None => self.took + last,
        }
    }

    /// Adds an attempt of which nothing else is kept.
    pub(super) fn add(&mut self, outcome: &RowOutcome) {
        self.usage = self.usage.plus(outcome.usage);
        self.cost = self.cost.zip(outcome.cost).map(|(before, cost)| before + cost);
        self.took += outcome.took;
        if let Some(batched) = &mut self.batched {
            batched.worked = Duration::ZERO;
        }
    }
}

pub(super) fn used(outcome: &RowOutcome) -> RunUsage {
    let Usage { input_tokens, output_tokens, .. } = outcome.usage;
    let tokens = input_tokens.unwrap_or_default() + output_tokens.unwrap_or_default();
    RunUsage { steps: outcome.steps, tokens, cost: outcome.cost.unwrap_or_default(), time: Duration::ZERO }
}
