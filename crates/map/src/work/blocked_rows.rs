//! Rows whose scripts hold their threads.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use super::{
    pool::{CHECK_INTERVAL, Pool},
    row::{late_outcome, stuck_outcome},
    row_threads::no_thread,
    running_row::RunningRow,
};
use crate::options::MapListener;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::session::LateRun;

/// How long a script may block its thread before other rows get another one. Scripts that can be interrupted are
/// interrupted earlier.
const BLOCKED_TIMEOUT: Duration = Duration::from_secs(15);

/// The same for a row that has passed a time limit.
const LATE_BLOCKED_TIMEOUT: Duration = Duration::from_millis(100);

impl Pool {
    /// Ends rows past their own time limit, even if their thread is still blocked, and frees the rows that wait for a
    /// blocked thread without having begun. Rows that have begun are never begun again: their requests were paid.
    pub(super) fn end_blocked_rows(&mut self, listener: &mut dyn MapListener) -> Result<(), Box<Diagnostic>> {
        let is_late = |row: &RunningRow| Some((row.job, (row.row, row.watched.late()?)));
        let late: HashMap<u64, (u64, LateRun)> = self.running.values().filter_map(is_late).collect();
        let patience = |job| if late.contains_key(&job) { LATE_BLOCKED_TIMEOUT } else { BLOCKED_TIMEOUT };
        let blocking = self.threads.relieve(patience).map_err(|error| no_thread(&error))?;
        for running in self.running.values().filter(|row| blocking.contains(&row.job) && !late.contains_key(&row.job)) {
            let (seconds, unit) = (BLOCKED_TIMEOUT.as_secs(), self.context.options.unit.name());
            let message =
                format!("the script has held its thread for {seconds} s; config.limits.time ends such a {unit}");
            listener.warned(Some(running.row), &message);
        }
        for (row, late) in late.into_values() {
            if let Some(running) = self.running.remove(&row) {
                self.attempt_ended(running, late_outcome(late), listener)?;
            }
        }
        self.give_up_stuck_rows(listener)
    }

    /// Ends rows on blocked threads when nothing else has run for a while: they may never end.
    fn give_up_stuck_rows(&mut self, listener: &mut dyn MapListener) -> Result<(), Box<Diagnostic>> {
        let blocked: HashSet<u64> = self.threads.blocked_jobs(CHECK_INTERVAL).iter().map(|job| job.number).collect();
        if self.running.is_empty() || !self.running.values().all(|row| blocked.contains(&row.job)) {
            self.stuck_since = None;
            return Ok(());
        }
        if self.stuck_since.get_or_insert_with(Instant::now).elapsed() < BLOCKED_TIMEOUT {
            return Ok(());
        }
        for (_, running) in std::mem::take(&mut self.running) {
            // It must not go on when its thread is free again: the next command may run it.
            let outcome = stuck_outcome(self.context.options.unit, running.watched.expire());
            self.attempt_ended(running, outcome, listener)?;
        }
        Ok(())
    }
}
