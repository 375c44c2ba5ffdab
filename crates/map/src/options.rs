//! Options of a map, and the trait that receives its progress.

use std::{num::NonZeroUsize, path::PathBuf, rc::Rc, sync::Arc, time::Duration};

use super::{
    progress::{BatchNews, Progress, RowEnd},
    rows::Source,
};
use lmthing_base::{
    cost::OwnPrices,
    diagnostic::Diagnostic,
    input::ColumnSetting,
    permission::{ApprovalRules, Permissions},
};
use lmthing_engine::{
    bindings::Exchanges,
    session::{CombinedLimits, SharedModel},
};
use lmthing_providers::Redactor;
use lmthing_system::remote::{Address, TOKEN_VARIABLE};

pub struct MapOptions {
    pub file: PathBuf,
    /// As the user typed it.
    pub shown_file: String,
    pub rows: Source,
    pub settings: Vec<ColumnSetting>,
    /// `None` for standard output.
    pub out: Option<PathBuf>,
    pub format: Format,
    pub unordered: bool,
    pub sample: Option<u64>,
    pub fresh: bool,
    pub model: Option<SharedModel>,
    /// Server whose workers run the rows; `None` runs them in this process.
    pub server: Option<RemoteService>,
    pub pool: PoolOptions,
}

/// Options of all units of work of a pool: the rows of a map, or the cells of an eval.
pub struct PoolOptions {
    pub unit: Unit,
    pub jobs: NonZeroUsize,
    pub max_errors: Option<MaxErrors>,
    pub retries: u32,
    /// Of all units together.
    pub limits: Arc<CombinedLimits>,
    pub own_prices: OwnPrices,
    pub variables: Vec<(String, String)>,
    pub permissions: Permissions,
    pub mcp_config: Option<PathBuf>,
    pub approve: ApprovalRules,
    /// How requests go into batches, if they do.
    pub batch: Option<BatchOptions>,
    /// Whether outcomes have the steps and tool calls of their runs.
    pub keeps_records: bool,
}

/// What the units of a pool are, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Row,
    Cell,
}

impl Unit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Row => "row",
            Unit::Cell => "cell",
        }
    }

    /// What may share a process.
    pub(super) fn sharers(self) -> &'static str {
        match self {
            Unit::Row => "rows of a map run",
            Unit::Cell => "cells of an eval run",
        }
    }

    pub(super) fn approval_advice(self) -> &'static str {
        match self {
            Unit::Row => "lmthing map --approve {name} approves it, or --yes",
            Unit::Cell => "lmthing eval --approve {name} approves it, or --yes",
        }
    }
}

/// How requests go into batches.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// Whether the next requests of a row, and those that failed, are sent at once.
    pub asks_next_at_once: bool,
    /// How often a batch is asked about; growing if unset.
    pub poll: Option<Duration>,
    /// The number of requests in a batch, at most.
    pub size: Option<NonZeroUsize>,
    /// Whether the map waits for batches that are under way.
    pub waits: bool,
}

impl MapOptions {
    /// The environment for scripts, without the bearer token of the server that runs the rows.
    pub(super) fn variables_of_scripts(&self) -> Vec<(String, String)> {
        let is_seen = |name: &str| self.server.is_none() || name != TOKEN_VARIABLE;
        self.pool.variables.iter().filter(|(name, _)| is_seen(name)).cloned().collect()
    }
}

#[derive(Clone, Debug)]
pub struct RemoteService {
    pub address: Address,
    pub service: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    JsonLines,
    Csv,
}

/// How many rows may fail before no further row is started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaxErrors {
    Count(u64),
    /// Share of the rows, 0 to 100.
    Percent(f64),
}

impl MaxErrors {
    pub fn parse(typed: &str) -> Result<Self, &'static str> {
        let expected = "expected a whole number of rows such as 10, or a share of them such as 5%";
        match typed.trim().strip_suffix('%') {
            Some(share) => {
                let share: f64 = share.trim().parse().map_err(|_| expected)?;
                (0.0..=100.0).contains(&share).then_some(MaxErrors::Percent(share)).ok_or(expected)
            }
            None => typed.trim().parse().map(MaxErrors::Count).map_err(|_| expected),
        }
    }

    pub(super) fn are_passed(self, failed: u64, rows: u64) -> bool {
        // Counts of rows are far below what a float holds.
        #[allow(clippy::cast_precision_loss)]
        match self {
            MaxErrors::Count(most) => failed > most,
            MaxErrors::Percent(share) => failed as f64 > rows as f64 * share / 100.0,
        }
    }
}

/// Answers requests in place of models.
pub trait AnswerSource: Send + Sync {
    /// Called on the thread of a unit, before it begins.
    fn begin(&self, number: u64, redactor: &Redactor) -> Result<Box<dyn UnitAnswers>, Box<Diagnostic>>;
}

/// Answers the requests of one unit.
pub trait UnitAnswers {
    fn exchanges(&self) -> Exchanges;

    /// Called when the unit has ended by itself.
    fn ended(&self, is_good: bool);
}

/// Receives results and progress of a map, on the thread that called `run_map`.
pub trait MapListener {
    fn result(&mut self, line: &str);

    fn printed(&mut self, row: Option<u64>, text: &str);

    fn warned(&mut self, row: Option<u64>, message: &str);

    fn ended(&mut self, row: &RowEnd<'_>);

    /// Called when the state of a batch has changed.
    fn batch(&mut self, news: &BatchNews);

    /// Called after every event and at least every 50 ms.
    fn progress(&mut self, progress: &Progress);

    /// The signal that requested the end, if one has arrived.
    fn interrupted(&mut self) -> Option<i32>;

    /// Whether the reader has closed standard output.
    fn is_unread(&self) -> bool;
}

pub(super) fn mcp_config(options: &PoolOptions) -> Option<Rc<std::path::Path>> {
    options.mcp_config.as_deref().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_or_weighed() {
        assert_eq!(MaxErrors::parse("3"), Ok(MaxErrors::Count(3)));
        assert_eq!(MaxErrors::parse(" 2.5 %"), Ok(MaxErrors::Percent(2.5)));
        for typed in ["", "-1", "101%", "x%", "NaN%", "1.5"] {
            assert!(MaxErrors::parse(typed).is_err(), "{typed}");
        }
        assert!(MaxErrors::Count(0).are_passed(1, 100) && !MaxErrors::Percent(5.0).are_passed(5, 100));
        assert!(MaxErrors::Percent(5.0).are_passed(6, 100));
    }
}
