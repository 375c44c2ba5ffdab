//! Rows of the pool whose requests go into batches.

use std::time::Instant;

use super::{
    pool::Pool,
    running_row::{BatchedRow, RunningRow},
};
use crate::{
    batches::{BatchJob, NewEntry, Report, RowProgress, Suspension},
    convert::ReadInput,
    options::MapListener,
    progress::EarlyEnd,
    results::RowOutcome,
};
use lmthing_base::{
    cost::{LimitKind, LimitReached},
    diagnostic::Diagnostic,
};

impl Pool {
    /// Starts a row whose answers are there; returns whether there was one.
    pub(super) fn start_ready_row(&mut self) -> Result<bool, Box<Diagnostic>> {
        let Some(batches) = &self.batches else { return Ok(false) };
        let Some(stored) = batches.next_ready()? else { return Ok(false) };
        self.start(RunningRow::of_stored(stored))?;
        Ok(true)
    }

    pub(super) fn start_new(&mut self, mut row: RunningRow) -> Result<(), Box<Diagnostic>> {
        if let Some(batches) = &self.batches {
            let identity = self.context.targets.of(row.row).identity(&row.input);
            let (id, progress) = batches.begin_row((row.row, &identity), &row.input)?;
            row.batched = Some(BatchedRow { id, began: progress.began, worked: progress.worked });
        }
        self.start(row)
    }

    /// Whether the row waits since an earlier command.
    pub(super) fn is_stored(&self, input: &ReadInput) -> Result<bool, Box<Diagnostic>> {
        match (&self.batches, input) {
            (Some(batches), Ok(Ok(input))) => {
                batches.claim(self.row, &self.context.targets.of(self.row).identity(input))
            }
            _ => Ok(false),
        }
    }

    /// Whether the row waits for a batch, and this command uses none.
    pub(super) fn is_left_to_batches(&mut self, input: &ReadInput) -> Result<bool, Box<Diagnostic>> {
        let (Some(state), Ok(Ok(input))) = (&self.left_rows, input) else { return Ok(false) };
        let is_left = state.claim(self.row, &self.context.targets.of(self.row).identity(input))?;
        self.counter.totals.batched_rows += u64::from(is_left);
        Ok(is_left)
    }

    pub(super) fn batch_job(&mut self, row: &RunningRow) -> Result<Option<BatchJob>, Box<Diagnostic>> {
        let (Some(batches), Some(batched)) = (&mut self.batches, row.batched) else { return Ok(None) };
        batches.job((batched.id, batched.worked), row.failures > 0).map(Some)
    }

    pub(super) fn store_entry(&mut self, row: u64, attempt: u32, entry: NewEntry) -> Result<(), Box<Diagnostic>> {
        match (&self.batches, self.batched(row, attempt)) {
            (Some(batches), Some(batched)) => batches.append(batched.id, entry),
            // A row that was given up.
            _ => Ok(()),
        }
    }

    pub(super) fn suspend(&mut self, row: u64, attempt: u32, suspension: Suspension) -> Result<(), Box<Diagnostic>> {
        let Some(batched) = self.batched(row, attempt) else { return Ok(()) };
        let (Some(batches), Some(running)) = (&mut self.batches, self.running.remove(&row)) else { return Ok(()) };
        let progress = running.progress();
        let progress = RowProgress { worked: progress.worked + suspension.took, ..progress };
        batches.suspend(batched.id, suspension, progress)
    }

    fn batched(&self, row: u64, attempt: u32) -> Option<BatchedRow> {
        self.running.get(&row).filter(|running| running.attempt == attempt)?.batched
    }

    /// Stores that a row that failed is to be tried again.
    pub(super) fn store_retry(
        &mut self,
        row: &RunningRow,
        keeps_log: bool,
        outcome: &RowOutcome,
    ) -> Result<(), Box<Diagnostic>> {
        let (Some(batches), Some(batched)) = (&self.batches, row.batched) else { return Ok(()) };
        if !keeps_log {
            self.counter.used(outcome);
        }
        batches.retry(batched.id, keeps_log, row.progress())
    }

    /// Forgets a row whose result is written.
    pub(super) fn forget_row(&mut self, row: &RunningRow) -> Result<(), Box<Diagnostic>> {
        let (Some(batches), Some(batched)) = (&mut self.batches, row.batched) else { return Ok(()) };
        let sink = &self.sink;
        batches.finish(batched.id, || sink.sync())
    }

    /// Whether a row that failed waits for the next batch rather than for a moment.
    pub(super) fn waits_for_batches(&self) -> bool {
        self.context.options.batch.as_ref().is_some_and(|batch| !batch.asks_next_at_once)
    }

    pub(super) fn handle_batch(
        &mut self,
        report: Report,
        listener: &mut dyn MapListener,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(batches) = &mut self.batches else { return Ok(()) };
        if let Some(warning) = batches.handle(report)? {
            listener.warned(None, &warning);
        }
        Ok(())
    }

    /// Whether batches cannot be continued.
    pub(super) fn batches_have_failed(&self) -> bool {
        self.batches.as_ref().is_some_and(|batches| batches.failure().is_some())
    }

    /// Starts acts that are due. `is_last` says that no row runs that could add a request.
    pub(super) fn advance_batches(
        &mut self,
        is_last: bool,
        listener: &mut dyn MapListener,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(batches) = &mut self.batches else { return Ok(()) };
        if self.early.is_none() {
            batches.advance(is_last, &self.context.options.limits)?;
        }
        let (news, warnings) = batches.take_news();
        news.iter().for_each(|news| listener.batch(news));
        warnings.iter().for_each(|warning| listener.warned(None, warning));
        let is_done = self.early.is_none() && self.running.is_empty() && batches.is_idle();
        if let Some(error) = batches.failure().filter(|_| is_done) {
            let problem = Diagnostic { hint: error.hint.clone(), ..Diagnostic::new(error.message.clone()) };
            self.early = Some(EarlyEnd::Batches(Box::new(problem)));
        }
        Ok(())
    }

    /// Whether something is to be waited for, though no row runs. Acts under way get a moment at an early end, as the
    /// next command would have to look for what came of them.
    pub(super) fn awaits_batches(&mut self) -> bool {
        let Some(batches) = &self.batches else { return false };
        if self.early.is_none() {
            return !batches.is_idle();
        }
        if batches.is_busy() {
            self.end_requested_at.get_or_insert_with(Instant::now);
        }
        batches.is_busy()
    }

    /// Closes the file of batches, which is removed when nothing waits.
    pub(super) fn end_batches(&mut self, listener: &mut dyn MapListener) -> Result<(), Box<Diagnostic>> {
        let Some(mut batches) = self.batches.take() else { return Ok(()) };
        let held = batches.held();
        let sink = &self.sink;
        batches.forget_finished(|| sink.sync())?;
        batches.dissolve_unsent()?;
        let under_way = batches.under_way();
        self.counter.totals.batches = under_way;
        (self.counter.totals.batched_rows, self.counter.totals.answered_rows) = batches.rows_left()?;
        let limits = &self.context.options.limits;
        let has_rows_left = self.counter.totals.left() > 0;
        match limits.reached_at_end().filter(|_| has_rows_left) {
            Some(reached) => drop(self.early.get_or_insert(EarlyEnd::Limit(reached.message))),
            None => limits.passed_limit().iter().for_each(|passed| listener.warned(None, passed)),
        }
        if self.early.is_none() && held > 0 {
            let requests = if held == 1 { "1 request".to_owned() } else { format!("{held} requests") };
            let problem = Diagnostic::new(format!("batches were cancelled elsewhere, with {requests} not answered"));
            let hint = "the same command again submits them";
            self.early = Some(EarlyEnd::Batches(Box::new(problem.with_hint(hint))));
        }
        if self.early.is_none() && under_way > 0 {
            self.early = Some(EarlyEnd::UnderWay);
        }
        let is_whole = self.early.is_none() && self.remaining.is_whole;
        batches.end(is_whole)
    }

    /// Ends the map at a limit. Answers of batches are taken first that are paid or will be, unless the time is over.
    pub(super) fn limit_reached(&mut self, reached: LimitReached) {
        if self.batches.is_some() && reached.kind != LimitKind::Time {
            self.takes_no_rows = true;
        } else {
            self.early.get_or_insert(EarlyEnd::Limit(reached.message));
        }
    }
}
