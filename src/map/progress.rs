//! How far a map is, and what it came to.

use std::time::Duration;

use super::{results::RowError, summary::Summary};
use crate::{chat::Usage, remote::RemoteError};

/// A row that is over.
pub(crate) struct Ended<'a> {
    pub(crate) row: u64,
    pub(crate) took: Duration,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<f64>,
    pub(crate) failure: Option<&'a RowError>,
    /// Whether it is run once more.
    pub(crate) again: bool,
}

/// How far it all is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// Rows that were to be run by this command.
    pub(crate) rows: u64,
    /// Of them, those that went well.
    pub(crate) done: u64,
    /// Of them, those that failed.
    pub(crate) failed: u64,
    /// Those that are being run.
    pub(crate) running: u64,
    /// Tokens of input and output.
    pub(crate) usage: Usage,
    /// US dollars, as far as costs are known.
    pub(crate) known_cost: f64,
    /// Whether there are others.
    pub(crate) is_cost_unknown: bool,
    /// Since the first row began.
    pub(crate) elapsed: Duration,
}

/// Why a map ended before its last row.
#[derive(Clone, Debug)]
pub(crate) enum Early {
    /// A signal.
    Interrupted(i32),
    /// A limit, in words.
    Limit(String),
    /// Too many rows failed, or every one would: in words.
    Errors(String),
    /// Nobody reads the results.
    Unread,
    /// The server that has rows run cannot be asked, or refuses.
    Lost(RemoteError),
}

/// What a map came to.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) progress: Progress,
    /// Rows there are.
    pub(crate) total: u64,
    /// Rows whose results stood there already.
    pub(crate) kept: u64,
    /// What went wrong, by kinds.
    pub(crate) errors: Summary,
    /// Why it ended early, if it did.
    pub(crate) early: Option<Early>,
}

impl Totals {
    /// Rows that were to be run and were not.
    pub(crate) fn left(&self) -> u64 {
        self.progress.rows.saturating_sub(self.progress.done + self.progress.failed)
    }
}
