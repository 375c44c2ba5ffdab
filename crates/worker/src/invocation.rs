//! Handles an invocation: replays what Restate has stored of the run, then continues it and stores it step by step.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};
use restate_sdk::{
    context::{RunFuture, RunRetryPolicy},
    endpoint::ContextInternal,
    errors::{HandlerError, TerminalError},
    serde::Json,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::{
    attempt::{Attempt, RunRequest},
    batch::{Batch, End, Entry, PendingApproval},
    engines::Engines,
    local_journal::Decision,
    logging,
    outbox::AttemptEnd,
    service::{Handler, Invocation, InvocationError, InvocationHandler},
};
use lmthing_base::{
    checkpoint::Verdict,
    diagnostic::Diagnostic,
    event::{RunFinish, RunSummary},
};
use lmthing_engine::{prompt::RunError, session::failure};
use lmthing_store::journal::usage_of_entries;

const FIRST_WAIT: Duration = Duration::from_secs(2);

const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

const CANCELLED: u16 = 409;

const BAD_INPUT: u16 = 400;

/// Name of the journal entry that lists calls waiting for approval. `lmthing approve` queries it.
pub(crate) const WAITS: &str = "waits for approval";

pub struct RunHandler {
    engines: Arc<Engines>,
    retry_for: Duration,
    closing: watch::Receiver<bool>,
}

impl RunHandler {
    pub fn new(engines: Arc<Engines>, retry_for: Duration, closing: watch::Receiver<bool>) -> Self {
        RunHandler { engines, retry_for, closing }
    }
}

impl InvocationHandler for RunHandler {
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, InvocationError>> {
        let (engines, retry_for, closing) = (self.engines.clone(), self.retry_for, self.closing.clone());
        async move {
            let Invocation { service, handler, input, context, id, trace_parent, stream, log, open_invocation, .. } =
                invocation;
            let run = run_name(&id);
            let log = log.with("run", run.clone());
            let file = service.path.clone();
            let input = (service.input.is_some() || !input.is_empty()).then_some(input);
            let request =
                RunRequest { file, run, invocation: id, input, log: log.clone(), trace_parent, open_invocation };
            let work = InvocationRun {
                engines: &engines,
                context: &context,
                request: &request,
                stream: &stream,
                retry_for,
                closing,
            };
            let report = match work.report().await {
                Ok(report) => report,
                Err(InvocationError::Failed(error)) if error.code() == CANCELLED => {
                    log.warn("cancelled", &[]);
                    return Err(error.into());
                }
                Err(InvocationError::Failed(error)) if handler == Handler::Report => {
                    failed(&[], "model", error.message())
                }
                Err(InvocationError::Failed(error)) => {
                    logging::log_end(&log, &json!({ "error": { "message": error.message() } }));
                    return Err(error.into());
                }
                Err(released) => return Err(released),
            };
            logging::log_end(&log, &report);
            match handler {
                Handler::Report => Ok(report),
                Handler::Run => answer(report).map_err(InvocationError::from),
            }
        }
        .boxed()
    }
}

struct InvocationRun<'a> {
    engines: &'a Arc<Engines>,
    context: &'a ContextInternal,
    request: &'a RunRequest,
    stream: &'a super::invocation_stream::InvocationStream,
    retry_for: Duration,
    closing: watch::Receiver<bool>,
}

impl InvocationRun<'_> {
    async fn report(&self) -> Result<Value, InvocationError> {
        let mut stored = Vec::new();
        let mut decisions: Vec<Decision> = Vec::new();
        let mut attempt = Attempt::new(self.engines, self.request);
        for number in 1_usize.. {
            if *self.closing.borrow() {
                attempt.end().await;
                return Err(self.release_error());
            }
            let policy = RunRetryPolicy::new()
                .initial_delay(FIRST_WAIT)
                .exponentiation_factor(2.0)
                .max_delay(LONGEST_WAIT)
                .max_attempts(attempts_within(self.retry_for));
            let begun = attempt.begun();
            if !begun.load(Ordering::Relaxed) {
                // Outside of `run`, so that Restate's timeouts do not include the wait.
                tokio::select! {
                    biased;
                    () = self.closing_before(&begun) => return Err(self.release_error()),
                    // Restate reports the cancellation at its place in the journal.
                    () = self.stream.cancelled() => {}
                    () = attempt.wait_for_slot() => {}
                }
            }
            // Lazy: not polled if Restate has stored its result.
            let work = self.next(&mut attempt, &stored, &decisions);
            let next = self.context.run(move || work);
            let batch = tokio::select! {
                biased;
                // Once begun, the step is finished.
                () = self.closing_before(&begun) => return Err(self.release_error()),
                batch = next.name(format!("checkpoint {number}")).retry_policy(policy) => batch,
            };
            let mut batch = match batch {
                Ok(Json(batch)) => batch,
                Err(error) => {
                    attempt.end().await;
                    return Err(error.into());
                }
            };
            decisions.clear();
            stored.extend(batch.take_entries());
            match batch.end {
                None => {}
                Some(End::Report(report)) => {
                    attempt.end().await;
                    return Ok(report);
                }
                Some(End::Waits(calls)) => {
                    // The run holds no thread while it waits.
                    attempt.end().await;
                    decisions = self.decided(&calls).await?;
                }
            }
        }
        unreachable!("there is no last number")
    }

    /// Resolves when the worker shuts down before anything has begun; never otherwise.
    async fn closing_before(&self, begun: &AtomicBool) {
        let mut closing = self.closing.clone();
        if closing.wait_for(|is_closing| *is_closing).await.is_err() || begun.load(Ordering::Relaxed) {
            pending::<()>().await;
        }
    }

    fn release_error(&self) -> InvocationError {
        self.request.log.info("given back, as this worker ends", &[]);
        InvocationError::Released("this worker ends; another one goes on".to_owned())
    }

    async fn next(
        &self,
        attempt: &mut Attempt<'_>,
        stored: &[Entry],
        decisions: &[Decision],
    ) -> Result<Json<Batch>, HandlerError> {
        let ended = tokio::select! {
            biased;
            batch = attempt.next(stored, decisions) => match batch {
                Ok(batch) => return Ok(Json(batch)),
                Err(ended) => ended,
            },
            () = self.stream.cancelled() => {
                // Tools see the cancellation in their abort signals and have some time.
                attempt.end().await;
                return Err(cancelled().into());
            }
        };
        match ended {
            AttemptEnd::Retry(why) => {
                self.request.log.warn("is to be tried again", &[("why", why.clone().into())]);
                Err(HandlerError::from(why))
            }
            AttemptEnd::Fatal(kind, why) => {
                let report = End::Report(failed(stored, kind, &why));
                let batch = Batch::new(Vec::new(), Some(report));
                batch.map(Json).map_err(|error| TerminalError::new(error.to_string()).into())
            }
            AttemptEnd::Finished(_) => Err(HandlerError::from("the run had ended already".to_owned())),
        }
    }

    /// Publishes the calls and waits for the decisions on them, suspended.
    async fn decided(&self, calls: &[PendingApproval]) -> Result<Vec<Decision>, TerminalError> {
        let awakeables: Vec<_> = calls.iter().map(|_| self.context.awakeable::<Json<Value>>()).collect();
        let told: Vec<Value> = calls
            .iter()
            .zip(&awakeables)
            .map(|(call, (id, _))| json!({ "id": id, "name": call.name, "args": call.args, "agent": call.agent }))
            .collect();
        let log = &self.request.log;
        let Json(_) = self
            .context
            .run(async || {
                told.iter().for_each(|call| logging::log_waiting(log, call));
                Ok(Json(json!({ "calls": told })))
            })
            .name(WAITS)
            .await?;
        let mut decisions = Vec::new();
        for (call, (_, decided)) in calls.iter().zip(awakeables) {
            self.stream.suspend();
            let decided = decided.await;
            self.stream.cancel_suspend();
            let verdict = match decided {
                Ok(Json(word)) => verdict(&word),
                Err(error) if error.code() == CANCELLED && self.stream.is_cancelled() => return Err(error),
                Err(error) => Verdict::Denied(Some(error.message().to_owned())),
            };
            decisions.push((call.call.clone(), verdict));
        }
        Ok(decisions)
    }
}

/// Interprets the value of an awakeable. Everything but an explicit yes denies.
fn verdict(word: &Value) -> Verdict {
    let is_yes = |word: &Value| match word {
        Value::Bool(word) => *word,
        Value::String(word) => matches!(word.trim().to_ascii_lowercase().as_str(), "yes" | "y" | "true" | "approved"),
        _ => false,
    };
    match word.as_object() {
        None if is_yes(word) => Verdict::Approved,
        None => Verdict::Denied(None),
        Some(word) if word.get("approved").is_some_and(is_yes) => Verdict::Approved,
        Some(word) => Verdict::Denied(word.get("reason").and_then(Value::as_str).map(str::to_owned)),
    }
}

fn answer(mut report: Value) -> Result<Value, TerminalError> {
    let Some(error) = report.get("error").filter(|error| !error.is_null()) else {
        let given = if report.get("output").is_some() { "output" } else { "text" };
        return Ok(report[given].take());
    };
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    let hint = text("hint").map(|hint| format!(" ({hint})")).unwrap_or_default();
    let code = if text("kind") == Some("usage") { BAD_INPUT } else { 500 };
    Err(TerminalError::new_with_code(code, format!("{}{hint}", text("message").unwrap_or("the run failed"))))
}

/// Report of a run that could not continue, with the sums of its stored entries.
pub(super) fn failed(stored: &[Entry], kind: &str, message: &str) -> Value {
    let code = match kind {
        "model" => RunError::MODEL_EXIT_CODE,
        "usage" => RunError::USAGE_EXIT_CODE,
        _ => RunError::SCRIPT_EXIT_CODE,
    };
    let failure = failure(code, kind, &Diagnostic::new(message));
    let summary = RunSummary::with_text().resuming(&usage_of_entries(stored));
    summary.to_json(&RunFinish { exit_code: code, error: Some(failure) })
}

fn cancelled() -> TerminalError {
    TerminalError::new_with_code(CANCELLED, "cancelled")
}

/// Number of attempts whose waits add up to the given time. The clock is not used, because a step may take longer
/// itself.
fn attempts_within(time: Duration) -> u32 {
    let (mut attempts, mut wait, mut waited) = (1, FIRST_WAIT, Duration::ZERO);
    while waited < time {
        attempts += 1;
        waited += wait;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
    attempts
}

/// Name of the run in the journal: the same for all attempts, and valid as a run name.
fn run_name(invocation: &str) -> String {
    Sha256::digest(invocation).iter().take(10).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_by_their_waits() {
        let attempts = [0, 1, 7, 3600].map(|seconds| attempts_within(Duration::from_secs(seconds)));
        assert_eq!(attempts, [1, 2, 4, 20]);
    }

    #[test]
    fn only_an_explicit_yes_approves() {
        for word in [json!(true), json!("yes"), json!(" Y "), json!({ "approved": true }), json!({ "approved": "yes" })]
        {
            assert_eq!(verdict(&word), Verdict::Approved, "{word}");
        }
        for word in [json!(false), json!(null), json!("no"), json!("ok?"), json!({}), json!(1)] {
            assert_eq!(verdict(&word), Verdict::Denied(None), "{word}");
        }
        let reason = json!({ "approved": false, "reason": "late" });
        assert_eq!(verdict(&reason), Verdict::Denied(Some("late".to_owned())));
    }
}
