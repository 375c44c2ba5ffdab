//! A run from its first step to its outcome.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    meter::{GRACE, Meter},
    run_log::RunLog,
    step::Session,
    turn_loop::run_turns,
};
use crate::prompt::{PromptHost, RunError, RunLimits, RunOutcome, StepLoop};
use lmthing_base::event::EventKind;

impl StepLoop for Session {
    fn run<'a>(self: Rc<Self>, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()> {
        // Before the future is polled: a second run must be refused from this call on.
        host.record().start();
        let scope = host.record().scope().clone();
        let run = async move {
            let host: &(dyn PromptHost + 'a) = &*host;
            let log = RunLog::new(host, &self.meter);
            if log.restored().is_some_and(|restored| restored.is_done) && host.turns().is_none() {
                // Another process has completed the run, including clean-ups.
                let outcome = outcome(restore_output(host).await);
                host.record().append(EventKind::PromptEnd);
                emit_agent_end(host, &outcome);
                return host.record().finish(outcome);
            }
            let result = {
                let steps = run_turns(host, &self).fuse();
                let aborted = host.aborted().fuse();
                let ended = until_ended(&self.meter).fuse();
                futures_util::pin_mut!(steps, aborted, ended);
                futures_util::select_biased! {
                    () = aborted => Err(RunError::Aborted),
                    () = ended => Err(self.meter.end()),
                    result = steps => result,
                }
            };
            // The first error wins, but the clean-ups run in any case.
            let cleaned = host.run_finished(result.is_err()).await;
            let ended = match result.and(cleaned) {
                Ok(()) => record_end(log).await,
                failed => failed,
            };
            let outcome = outcome(ended);
            // This event first: the printer must have ended its line when `result` resolves.
            host.record().append(EventKind::PromptEnd);
            emit_agent_end(host, &outcome);
            host.record().finish(outcome);
        };
        async move { scope.run_as_agent(run).await }.boxed_local()
    }
}

async fn record_end(log: RunLog<'_>) -> Result<(), RunError> {
    log.record_end().await?;
    log.stored().await
}

fn outcome(result: Result<(), RunError>) -> RunOutcome {
    match result {
        Ok(()) => RunOutcome::Done,
        Err(error) => RunOutcome::Failed(Rc::new(error)),
    }
}

/// A finished run has its output in its last answer, as validated values are not logged.
async fn restore_output(host: &dyn PromptHost) -> Result<(), RunError> {
    let last = host.record().steps().last().cloned();
    match last {
        Some(step) => host.check_answer(&step, false).await.map(drop),
        None => Ok(()),
    }
}

/// Resolves when a limit has ended the run and tools have had time to end, so that their steps are complete.
async fn until_ended(meter: &Meter) {
    meter.reached().await;
    // A run that stops for an approval has nothing left to do.
    if !matches!(meter.end().origin(), RunError::Waiting { .. }) {
        tokio::time::sleep(GRACE).await;
    }
}

/// The start event was emitted by the creator of the host, as the callback or function runs before the first step.
fn emit_agent_end(host: &dyn PromptHost, outcome: &RunOutcome) {
    let error = match outcome {
        RunOutcome::Done => None,
        RunOutcome::Failed(error) => Some(error.to_string()),
    };
    host.record().scope().end(error.as_deref());
}
