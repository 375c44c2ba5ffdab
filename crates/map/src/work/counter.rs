//! Totals of a map and the decision to end it early.

use std::time::Instant;

use crate::{
    options::MapOptions,
    progress::{EarlyEnd, Progress, Totals},
    results::RowOutcome,
};

/// So many failures that are the same for all rows, and no success, mean that every row would fail.
const HOPELESS_FAILURES: u64 = 3;

pub(super) struct TotalsCounter {
    pub(super) totals: Totals,
    began: Instant,
    hopeless: u64,
}

impl TotalsCounter {
    pub(super) fn new(total: u64, reused: u64, rows: u64) -> Self {
        let progress = Progress { rows, ..Progress::default() };
        TotalsCounter {
            totals: Totals { progress, total, reused, ..Totals::default() },
            began: Instant::now(),
            hopeless: 0,
        }
    }

    pub(super) fn used(&mut self, outcome: &RowOutcome) {
        let progress = &mut self.totals.progress;
        progress.usage = progress.usage.plus(outcome.usage);
        progress.known_cost += outcome.cost.unwrap_or(0.0);
        progress.is_cost_unknown |= outcome.cost.is_none();
    }

    pub(super) fn ended(&mut self, row: u64, outcome: &RowOutcome) {
        match &outcome.failure {
            None => self.totals.progress.done += 1,
            Some(failure) => {
                self.totals.progress.failed += 1;
                let is_wrong_setting = matches!(failure.kind.as_str(), "configuration" | "usage");
                self.hopeless += u64::from(outcome.is_hopeless || is_wrong_setting);
                self.totals.errors.add(row, failure);
            }
        }
    }

    pub(super) fn early_end(&self, options: &MapOptions) -> Option<EarlyEnd> {
        let Progress { done, failed, rows, .. } = self.totals.progress;
        if options.max_errors.is_some_and(|most| most.are_passed(failed, rows)) {
            let s = if failed == 1 { "" } else { "s" };
            return Some(EarlyEnd::Errors(format!("{failed} row{s} failed, and --max-errors allows no more")));
        }
        let is_hopeless = done == 0 && self.hopeless >= HOPELESS_FAILURES && self.hopeless == failed;
        is_hopeless.then(|| EarlyEnd::Errors("every row fails for the same reason".to_owned()))
    }

    pub(super) fn progress(&mut self, running: usize) -> &Progress {
        let progress = &mut self.totals.progress;
        progress.running = running as u64;
        progress.elapsed = self.began.elapsed();
        progress
    }
}
