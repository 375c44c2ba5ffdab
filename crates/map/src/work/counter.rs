//! Totals of a map and the decision to end it early.

use std::time::Instant;

use crate::{
    options::PoolOptions,
    progress::{EarlyEnd, Progress, Totals},
    results::RowOutcome,
};

/// So many failures that are the same for all rows of a target, and nothing else, mean that every row would fail.
const HOPELESS_FAILURES: u64 = 3;

pub(super) struct TotalsCounter {
    pub(super) totals: Totals,
    began: Instant,
    /// By target.
    failures: Vec<TargetFailures>,
}

#[derive(Clone, Copy, Default)]
struct TargetFailures {
    /// Whether rows of it are run.
    has_rows: bool,
    hopeless: u64,
    /// Whether a row has succeeded, or failed for a reason of its own.
    has_hope: bool,
}

impl TotalsCounter {
    /// `targets` says of each target whether rows of it are run.
    pub(super) fn new(total: u64, reused: u64, rows: u64, targets: &[bool]) -> Self {
        let progress = Progress { rows, ..Progress::default() };
        TotalsCounter {
            totals: Totals { progress, total, reused, ..Totals::default() },
            began: Instant::now(),
            failures: targets
                .iter()
                .map(|has_rows| TargetFailures { has_rows: *has_rows, ..TargetFailures::default() })
                .collect(),
        }
    }

    pub(super) fn used(&mut self, outcome: &RowOutcome) {
        let progress = &mut self.totals.progress;
        progress.usage = progress.usage.plus(outcome.usage);
        progress.known_cost += outcome.cost.unwrap_or(0.0);
        progress.is_cost_unknown |= outcome.cost.is_none();
    }

    pub(super) fn ended(&mut self, row: u64, target: usize, outcome: &RowOutcome) {
        let failures = &mut self.failures[target];
        match &outcome.failure {
            None => {
                self.totals.progress.done += 1;
                failures.has_hope = true;
            }
            Some(failure) => {
                self.totals.progress.failed += 1;
                let is_wrong_setting = matches!(failure.kind.as_str(), "configuration" | "usage");
                let is_hopeless = outcome.is_hopeless || is_wrong_setting;
                failures.hopeless += u64::from(is_hopeless);
                failures.has_hope |= !is_hopeless;
                self.totals.errors.add(row, failure);
            }
        }
    }

    pub(super) fn early_end(&self, options: &PoolOptions) -> Option<EarlyEnd> {
        let unit = options.unit.name();
        let Progress { failed, rows, .. } = self.totals.progress;
        if options.max_errors.is_some_and(|most| most.are_passed(failed, rows)) {
            let s = if failed == 1 { "" } else { "s" };
            return Some(EarlyEnd::Errors(format!("{failed} {unit}{s} failed, and --max-errors allows no more")));
        }
        let is_hopeless = |of: &TargetFailures| !of.has_hope && of.hopeless >= HOPELESS_FAILURES;
        let mut targets = self.failures.iter().filter(|target| target.has_rows).peekable();
        let is_all = targets.peek().is_some() && targets.all(is_hopeless);
        is_all.then(|| EarlyEnd::Errors(format!("every {unit} fails for the same reason")))
    }

    pub(super) fn progress(&mut self, running: usize) -> &Progress {
        let progress = &mut self.totals.progress;
        progress.running = running as u64;
        progress.elapsed = self.began.elapsed();
        progress
    }
}
