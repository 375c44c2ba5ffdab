//! What follows when an attempt of a row has ended: another one, or the row's result.

use std::time::{Duration, Instant};

use super::{pool::Pool, running_row::RunningRow};
use crate::{
    options::MapListener,
    progress::{EarlyEnd, RowEnd},
    results::{RemoteAttempt, RowOutcome},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::prompt::RunError;

/// How often a row is tried again that failed only because of rate limits.
const MAX_REFUSALS: u32 = 20;

const FIRST_RETRY_DELAY: Duration = Duration::from_millis(500);

impl Pool {
    pub(super) fn attempt_ended(
        &mut self,
        mut running: RunningRow,
        outcome: RowOutcome,
        listener: &mut dyn MapListener,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(failure) = &outcome.failure else { return self.finish_row(running, outcome, listener) };
        if self.context.remote_rows.is_none()
            && failure.kind == "limit"
            && let Some(reached) = self.context.options.limits.reached()
        {
            // Not the row's fault: the next command runs it.
            self.limit_reached(reached);
            return Ok(());
        }
        if let Some(words) = &outcome.long_wait {
            // The same for every row; the next command runs this one.
            self.early.get_or_insert_with(|| EarlyEnd::Errors(words.clone()));
            return Ok(());
        }
        if self.early.is_some() && self.end_requested_at.is_some() {
            return self.finish_row(running, outcome, listener);
        }
        let may_retry = match (outcome.is_refused, failure.kind.as_str()) {
            (true, _) => running.refusals < MAX_REFUSALS,
            (false, "usage" | "input" | "configuration") => false,
            (false, _) if outcome.is_hopeless => false,
            _ => running.failures < self.context.options.retries,
        };
        if !may_retry {
            return self.finish_row(running, outcome, listener);
        }
        listener.ended(&RowEnd {
            row: running.row,
            took: outcome.took,
            usage: outcome.usage,
            cost: outcome.cost,
            failure: Some(failure),
            will_retry: true,
        });
        let count = if outcome.is_refused { &mut running.refusals } else { &mut running.failures };
        *count += 1;
        // Failures of scripts are retried at once, failures of models with backoff.
        let wait = if failure.code == RunError::MODEL_EXIT_CODE && !self.waits_for_batches() {
            FIRST_RETRY_DELAY * 2_u32.pow((*count - 1).min(6))
        } else {
            Duration::ZERO
        };
        running.attempt += 1;
        running.remote_attempt = outcome.remote_attempt.map(RemoteAttempt::next);
        // What a model has answered before it failed is kept with batches.
        let keeps_log = running.batched.is_some() && failure.code == RunError::MODEL_EXIT_CODE;
        match &mut running.batched {
            Some(batched) if keeps_log => batched.worked += outcome.took,
            _ => running.add(&outcome),
        }
        self.store_retry(&running, keeps_log, &outcome)?;
        self.retries.push((Instant::now() + wait, running));
        Ok(())
    }

    pub(super) fn finish_row(
        &mut self,
        running: RunningRow,
        mut outcome: RowOutcome,
        listener: &mut dyn MapListener,
    ) -> Result<(), Box<Diagnostic>> {
        if running.batched.is_some() {
            self.counter.used(&outcome);
        }
        outcome.usage = running.usage.plus(outcome.usage);
        outcome.cost = running.cost.zip(outcome.cost).map(|(before, cost)| before + cost);
        outcome.took = running.took_until_now(outcome.took);
        self.counter.ended(running.row, self.context.targets.index(running.row), &outcome);
        listener.ended(&RowEnd {
            row: running.row,
            took: outcome.took,
            usage: outcome.usage,
            cost: outcome.cost,
            failure: outcome.failure.as_ref(),
            will_retry: false,
        });
        self.sink.keep(running.row, &running.input, outcome, &mut |line| listener.result(line))?;
        self.forget_row(&running)?;
        if self.early.is_none() {
            self.early = self.counter.early_end(&self.context.options);
        }
        Ok(())
    }
}
