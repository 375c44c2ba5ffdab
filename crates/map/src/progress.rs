//! Progress of a map and its totals.

use std::time::Duration;

use super::{failure_summary::FailureSummary, results::RowError};
use lmthing_base::{chat::Usage, diagnostic::Diagnostic};
use lmthing_system::remote::RemoteError;

pub struct RowEnd<'a> {
    pub row: u64,
    pub took: Duration,
    pub usage: Usage,
    pub cost: Option<f64>,
    pub failure: Option<&'a RowError>,
    pub will_retry: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Rows to be run by this command.
    pub rows: u64,
    pub done: u64,
    pub failed: u64,
    pub running: u64,
    pub usage: Usage,
    /// US dollars, as far as costs are known.
    pub known_cost: f64,
    pub is_cost_unknown: bool,
    pub elapsed: Duration,
}

/// The state of a batch.
#[derive(Clone, Debug)]
pub struct BatchNews {
    /// Its own name, which stays the same.
    pub name: String,
    /// The provider's id; the name before there is one.
    pub id: String,
    pub provider: String,
    pub phase: BatchNewsPhase,
    /// Answered requests, and failed ones.
    pub done: u64,
    pub failed: u64,
    pub requests: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchNewsPhase {
    Uploading,
    Submitted,
    InProgress,
    Completed,
    Expired,
    Cancelled,
    Failed(String),
}

#[derive(Clone, Debug)]
pub enum EarlyEnd {
    Interrupted(i32),
    Limit(String),
    Errors(String),
    Unread,
    Lost(RemoteError),
    /// Batches are under way, and are not waited for.
    UnderWay,
    /// Batches cannot be continued now. No row has failed.
    Batches(Box<Diagnostic>),
}

#[derive(Debug, Default)]
pub struct Totals {
    pub progress: Progress,
    pub total: u64,
    /// Rows that had a result before the command.
    pub reused: u64,
    pub errors: FailureSummary,
    pub early: Option<EarlyEnd>,
    /// Batches that are under way at the end, and the rows that wait for them.
    pub batches: u64,
    pub batched_rows: u64,
    /// Rows with stored answers, which the next command goes on with.
    pub answered_rows: u64,
}

impl Totals {
    pub fn left(&self) -> u64 {
        self.progress.rows.saturating_sub(self.progress.done + self.progress.failed)
    }
}
