//! Progress of a map and its totals.

use std::time::Duration;

use super::{failure_summary::FailureSummary, results::RowError};
use lmthing_base::chat::Usage;
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

#[derive(Clone, Debug)]
pub enum EarlyEnd {
    Interrupted(i32),
    Limit(String),
    Errors(String),
    Unread,
    Lost(RemoteError),
}

#[derive(Debug, Default)]
pub struct Totals {
    pub progress: Progress,
    pub total: u64,
    /// Rows that had a result before the command.
    pub reused: u64,
    pub errors: FailureSummary,
    pub early: Option<EarlyEnd>,
}

impl Totals {
    pub fn left(&self) -> u64 {
        self.progress.rows.saturating_sub(self.progress.done + self.progress.failed)
    }
}
