//! Rows whose requests go into batches (docs/reference/batches.md): they are run until nothing but such requests is
//! left, wait in a file next to OUT, and are run again when answers have come.

mod cancel;
mod earlier;
mod estimates;
mod failures;
mod flight;
mod known;
mod pace;
mod remote;
mod row_log;
mod rows;
mod run_order;
mod scheduler;
mod shipments;
mod state;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, num::NonZeroUsize, time::Duration};

use serde_json::{Map, Value};

pub(super) use cancel::cancel_all;
pub use cancel::{CancelledBatches, cancel_batches};
pub(super) use earlier::{EarlierBatches, read_earlier};
pub(super) use known::{Ask, LostState, RowAnswers, RowRecord};
pub(super) use remote::{RemoteOptions, Report};
pub(super) use row_log::{NewEntry, RowLog};
pub(super) use rows::{RowProgress, StoredRow};
pub(super) use run_order::Moved;
use state::BatchResult;
pub(super) use state::BatchState;

use crate::{options::BatchOptions, progress::BatchNews};
use lmthing_base::{cost::RequestId, diagnostic::Diagnostic};
use lmthing_engine::session::CombinedLimits;
use lmthing_providers::ProviderError;
use pace::Pace;
pub(super) use pace::milliseconds;
use remote::RemoteThread;
use scheduler::Scheduler;

/// How many finished rows are kept before OUT is written to the disk and they are forgotten.
const FORGOTTEN_AT_ONCE: usize = 256;

/// What a run of a row gets from those before.
#[derive(Clone, Debug)]
pub(super) struct BatchJob {
    pub(super) record: RowRecord,
    /// Whether requests that follow an answer are sent at once.
    pub(super) asks_next_at_once: bool,
    /// Whether an earlier attempt has failed.
    pub(super) has_failed: bool,
    /// How long these runs were at work.
    pub(super) worked: Duration,
    /// What they have reserved of the limits of the map.
    pub(super) reserved: Vec<RequestId>,
}

/// What a run of a row leaves that waits for batches.
pub(super) struct Suspension {
    pub(super) asks: Vec<Ask>,
    /// Of the limits of the map.
    pub(super) reserved: Vec<RequestId>,
    pub(super) took: Duration,
}

/// The rows of a map that wait, and their batches.
pub(super) struct Batches {
    scheduler: Scheduler<RemoteThread>,
    asks_next_at_once: bool,
    /// Whether there are rows of an earlier command.
    has_earlier: bool,
    /// Rows whose results stand in OUT, perhaps not on the disk yet.
    finished: Vec<i64>,
    /// What waiting rows have reserved of the limits of the map.
    reserved: HashMap<i64, Vec<RequestId>>,
}

impl Batches {
    pub(super) fn start(
        (state, has_earlier): (BatchState, bool),
        options: &BatchOptions,
        remote: RemoteOptions,
        estimates_costs: bool,
        report: impl Fn(Report) + Send + Clone + 'static,
    ) -> BatchResult<Self> {
        let thread = RemoteThread::start(remote, report);
        let thread = thread.map_err(|error| Diagnostic::new(format!("cannot start a thread: {error}")))?;
        let BatchOptions { asks_next_at_once, poll, size, waits } = *options;
        let batch_size = size.map(NonZeroUsize::get);
        let pace = Pace { poll, batch_size, looks_once: !waits, gathers_all: estimates_costs };
        let scheduler = Scheduler::new(state, thread, pace)?;
        Ok(Batches { scheduler, asks_next_at_once, has_earlier, finished: Vec::new(), reserved: HashMap::new() })
    }

    /// Whether an earlier command has begun the row, which goes on when its answers are there.
    pub(super) fn claim(&self, row: u64, identity: &str) -> BatchResult<bool> {
        if self.has_earlier { self.scheduler.state.claim(row, identity) } else { Ok(false) }
    }

    /// Returns the id of the row, and the progress of a row that begins.
    pub(super) fn begin_row(
        &self,
        (row, identity): (u64, &str),
        input: &Map<String, Value>,
    ) -> BatchResult<(i64, RowProgress)> {
        let began = milliseconds();
        let id = self.scheduler.state.begin_row((row, identity), input, began)?;
        Ok((id, RowProgress { cost: Some(0.0), began, ..RowProgress::default() }))
    }

    pub(super) fn next_ready(&self) -> BatchResult<Option<StoredRow>> {
        self.scheduler.state.next_ready()
    }

    /// Prepares a run of a row.
    pub(super) fn job(&mut self, (id, worked): (i64, Duration), has_failed: bool) -> BatchResult<BatchJob> {
        let reserved = self.reserved.remove(&id).unwrap_or_default();
        let record = self.scheduler.state.record(id)?;
        Ok(BatchJob { record, asks_next_at_once: self.asks_next_at_once, has_failed, worked, reserved })
    }

    pub(super) fn append(&self, id: i64, entry: NewEntry) -> BatchResult<()> {
        self.scheduler.state.append_entry(id, &entry)?;
        // The run may have ended meanwhile.
        let _ = entry.stored.send(());
        Ok(())
    }

    pub(super) fn suspend(&mut self, id: i64, suspension: Suspension, progress: RowProgress) -> BatchResult<()> {
        let Suspension { asks, reserved, .. } = suspension;
        let mut settings = HashMap::new();
        for ask in &asks {
            match ask {
                Ask::Known { target, settings: of, .. } => settings.insert(target.clone(), (**of).clone()),
                Ask::New { request, .. } => {
                    settings.insert(known::target_text(&request.target), request.settings.clone())
                }
            };
        }
        for (target, settings) in settings {
            self.scheduler.learn_of(&target, settings)?;
        }
        let added = self.scheduler.state.suspend(id, asks, progress)?;
        added.into_iter().for_each(|(target, bytes)| self.scheduler.gather(target, bytes));
        if !reserved.is_empty() {
            self.reserved.insert(id, reserved);
        }
        Ok(())
    }

    pub(super) fn retry(&self, id: i64, keeps_log: bool, progress: RowProgress) -> BatchResult<()> {
        self.scheduler.state.retry(id, keeps_log, progress)
    }

    /// Forgets a row whose result stands in OUT. `sync` writes OUT to the disk before that.
    pub(super) fn finish(&mut self, id: i64, sync: impl FnOnce() -> BatchResult<()>) -> BatchResult<()> {
        self.finished.push(id);
        if self.finished.len() >= FORGOTTEN_AT_ONCE { self.forget_finished(sync) } else { Ok(()) }
    }

    pub(super) fn forget_finished(&mut self, sync: impl FnOnce() -> BatchResult<()>) -> BatchResult<()> {
        sync()?;
        self.scheduler.state.forget(&std::mem::take(&mut self.finished))
    }

    pub(super) fn handle(&mut self, report: Report) -> BatchResult<Option<String>> {
        match report {
            Report::Done { target, batch, done } => self.scheduler.report(target, batch, done).map(|()| None),
            Report::Answers { batch, outcomes, stored } => {
                self.scheduler.state.collect(batch, outcomes)?;
                let _ = stored.send(());
                Ok(None)
            }
            Report::Warned(text) => Ok(Some(text)),
        }
    }

    /// Starts what is due. `is_last` says that no row runs that could add a request.
    pub(super) fn advance(&mut self, is_last: bool, limits: &CombinedLimits) -> BatchResult<()> {
        let most = self.scheduler.affordable(is_last, limits);
        self.scheduler.advance(is_last, most)
    }

    /// What has happened to batches, and warnings.
    pub(super) fn take_news(&mut self) -> (Vec<BatchNews>, Vec<String>) {
        self.scheduler.take_news()
    }

    pub(super) fn failure(&self) -> Option<&ProviderError> {
        self.scheduler.failure()
    }

    /// Requests of batches that were cancelled elsewhere.
    pub(super) fn held(&self) -> usize {
        self.scheduler.held()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.scheduler.is_idle()
    }

    pub(super) fn is_busy(&self) -> bool {
        self.scheduler.is_busy()
    }

    /// Gives the requests of batches back of which nothing was sent: nothing waits for them.
    pub(super) fn dissolve_unsent(&self) -> BatchResult<()> {
        self.scheduler.state.dissolve_unsent()
    }

    /// The batches that are under way.
    pub(super) fn under_way(&self) -> u64 {
        self.scheduler.under_way()
    }

    /// The rows that wait for batches, and other rows with stored answers.
    pub(super) fn rows_left(&self) -> BatchResult<(u64, u64)> {
        Ok((self.scheduler.state.waiting_rows()?, self.scheduler.state.answered_rows()?))
    }

    /// Removes the state when nothing in it is needed any more. `is_whole` says that all rows of the input were run, so
    /// that what is left belongs to none.
    pub(super) fn end(self, is_whole: bool) -> BatchResult<()> {
        let has_batches = self.scheduler.has_batches();
        let state = self.scheduler.state;
        let is_needed = has_batches || state.bound_rows()? > 0 && (!is_whole || state.has_claimed_rows()?);
        if !is_needed {
            state.remove();
        }
        Ok(())
    }
}
