//! Progress of a map and its totals.

use std::time::Duration;

use super::{failure_summary::FailureSummary, results::RowError};
use crate::{chat::Usage, remote::RemoteError};

pub(crate) struct RowEnd<'a> {
    pub(crate) row: u64,
    pub(crate) took: Duration,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<f64>,
    pub(crate) failure: Option<&'a RowError>,
    /// Whether the row is tried again.
    pub(crate) will_retry: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// Rows that this command has to run.
    pub(crate) rows: u64,
    pub(crate) done: u64,
    pub(crate) failed: u64,
    pub(crate) running: u64,
    pub(crate) usage: Usage,
    /// US dollars, as far as costs are known.
    pub(crate) known_cost: f64,
    /// Whether there are others.
    pub(crate) is_cost_unknown: bool,
    pub(crate) elapsed: Duration,
}

#[derive(Clone, Debug)]
pub(crate) enum EarlyEnd {
    Interrupted(i32),
    Limit(String),
    Errors(String),
    Unread,
    Lost(RemoteError),
}

#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) progress: Progress,
    pub(crate) total: u64,
    /// Rows that had a result before the command.
    pub(crate) reused: u64,
    pub(crate) errors: FailureSummary,
    pub(crate) early: Option<EarlyEnd>,
}

impl Totals {
    pub(crate) fn left(&self) -> u64 {
        self.progress.rows.saturating_sub(self.progress.done + self.progress.failed)
    }
}
