//! An invocation: what Restate has stored of a run is heard, the rest is done and stored step by step. Must not know JavaScript, nor
//! how requests come in.

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
    attempt::{Attempt, Subject},
    batch::{Batch, End, Entry, Waiting},
    beneath::Decision,
    crew::Crew,
    outbox::Ended,
    seam::{Handler, Invocation, Invocations},
    telling,
};
use crate::{
    checkpoint::Verdict,
    diagnostic::Diagnostic,
    event::{RunFinish, RunSummary},
    journal::usage_of_entries,
    prompt::RunError,
    session::failure,
};

/// The first wait before an answer is asked for again; each is twice as long as the one before.
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// The longest.
const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

/// What Restate ends a cancelled invocation with.
const CANCELLED: u16 = 409;

/// What is wrong with what was sent.
const BAD_INPUT: u16 = 400;

/// The name of the entry that tells which calls wait.
pub(crate) const WAITS: &str = "waits for approval";

/// Runs of a worker.
pub(crate) struct Runs {
    crew: Arc<Crew>,
    retry_for: Duration,
    /// Whether the worker is to end.
    closing: watch::Receiver<bool>,
}

impl Runs {
    pub(crate) fn new(crew: Arc<Crew>, retry_for: Duration, closing: watch::Receiver<bool>) -> Self {
        Runs { crew, retry_for, closing }
    }
}

impl Invocations for Runs {
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, HandlerError>> {
        let (crew, retry_for, closing) = (self.crew.clone(), self.retry_for, self.closing.clone());
        async move {
            let Invocation { service, handler, input, context, id, trace_parent, stream, log, turn, .. } = invocation;
            let run = name_of(&id);
            let log = log.with("run", run.clone());
            let file = service.path.clone();
            let input = (service.input.is_some() || !input.is_empty()).then_some(input);
            let subject = Subject { file, run, invocation: id, input, log: log.clone(), trace_parent, turn };
            let work = Work { crew: &crew, context: &context, subject: &subject, stream: &stream, retry_for, closing };
            let report = match work.report().await {
                Ok(report) => report,
                Err(Broken::Ended(error)) if error.code() == CANCELLED => {
                    log.warn("cancelled", &[]);
                    return Err(error.into());
                }
                Err(Broken::Ended(error)) if handler == Handler::Report => failed(&[], "model", error.message()),
                Err(Broken::Ended(error)) => {
                    telling::ends(&log, &json!({ "error": { "message": error.message() } }));
                    return Err(error.into());
                }
                Err(Broken::GivenBack(why)) => return Err(HandlerError::from(why)),
            };
            telling::ends(&log, &report);
            match handler {
                Handler::Report => Ok(report),
                Handler::Run => answer(report).map_err(HandlerError::from),
            }
        }
        .boxed()
    }
}

/// The work on an invocation.
struct Work<'a> {
    crew: &'a Arc<Crew>,
    context: &'a ContextInternal,
    subject: &'a Subject,
    stream: &'a super::body::Stream,
    retry_for: Duration,
    closing: watch::Receiver<bool>,
}

/// Why there is no report.
enum Broken {
    /// For good.
    Ended(TerminalError),
    /// Another attempt goes on.
    GivenBack(String),
}

impl From<TerminalError> for Broken {
    fn from(error: TerminalError) -> Self {
        Broken::Ended(error)
    }
}

impl Work<'_> {
    /// Goes on with the run until it has ended.
    async fn report(&self) -> Result<Value, Broken> {
        let mut stored = Vec::new();
        let mut decisions: Vec<Decision> = Vec::new();
        let mut attempt = Attempt::new(self.crew, self.subject);
        for number in 1_usize.. {
            if *self.closing.borrow() {
                attempt.end().await;
                return Err(self.given_back());
            }
            let policy = RunRetryPolicy::new()
                .initial_delay(FIRST_WAIT)
                .exponentiation_factor(2.0)
                .max_delay(LONGEST_WAIT)
                .max_attempts(attempts_within(self.retry_for));
            let begun = attempt.begun();
            if !begun.load(Ordering::Relaxed) {
                // Before Restate counts how long it takes.
                tokio::select! {
                    biased;
                    () = self.closing_before(&begun) => return Err(self.given_back()),
                    // Restate says where in what it has stored.
                    () = self.stream.cancelled() => {}
                    () = attempt.take_place() => {}
                }
            }
            // It does nothing before it is asked for, which it is not when Restate has stored what it gives.
            let work = self.next(&mut attempt, &stored, &decisions);
            let next = self.context.run(move || work);
            let batch = tokio::select! {
                biased;
                // What is at work comes to the end of its step.
                () = self.closing_before(&begun) => return Err(self.given_back()),
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
                    // No thread is held meanwhile.
                    attempt.end().await;
                    decisions = self.decided(&calls).await?;
                }
            }
        }
        unreachable!("there is no last number")
    }

    /// Waits until the worker is to end while nothing has begun.
    async fn closing_before(&self, begun: &AtomicBool) {
        let mut closing = self.closing.clone();
        if closing.wait_for(|is_closing| *is_closing).await.is_err() || begun.load(Ordering::Relaxed) {
            pending::<()>().await;
        }
    }

    fn given_back(&self) -> Broken {
        self.subject.log.info("given back, as this worker ends", &[]);
        Broken::GivenBack("this worker ends; another one goes on".to_owned())
    }

    /// What is done next.
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
                // Its tools hear of it, and have some time.
                attempt.end().await;
                return Err(cancelled().into());
            }
        };
        match ended {
            Ended::TryAgain(why) => {
                self.subject.log.warn("is to be tried again", &[("why", why.clone().into())]);
                Err(HandlerError::from(why))
            }
            Ended::ForGood(kind, why) => {
                let report = End::Report(failed(stored, kind, &why));
                let batch = Batch::new(Vec::new(), Some(report));
                batch.map(Json).map_err(|why| TerminalError::new(why).into())
            }
            Ended::Well(_) => Err(HandlerError::from("the run had ended already".to_owned())),
        }
    }

    /// What somebody decides on calls; until then the attempt is suspended.
    async fn decided(&self, calls: &[Waiting]) -> Result<Vec<Decision>, TerminalError> {
        let awakeables: Vec<_> = calls.iter().map(|_| self.context.awakeable::<Json<Value>>()).collect();
        let told: Vec<Value> = calls
            .iter()
            .zip(&awakeables)
            .map(|(call, (id, _))| json!({ "id": id, "name": call.name, "args": call.args, "agent": call.agent }))
            .collect();
        let log = &self.subject.log;
        let Json(_) = self
            .context
            .run(async || {
                told.iter().for_each(|call| telling::waits(log, call));
                Ok(Json(json!({ "calls": told })))
            })
            .name(WAITS)
            .await?;
        let mut decisions = Vec::new();
        for (call, (_, decided)) in calls.iter().zip(awakeables) {
            self.stream.suspend();
            let decided = decided.await;
            self.stream.stay();
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

/// What an awakeable was resolved with. Whatever does not say yes is a no.
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

/// What the handler `run` answers.
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

/// A report of a run that could not go on, with what is stored of it.
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

/// How many attempts there are in that time by the waits between them. Not by the clock: a step may have taken longer by itself.
fn attempts_within(time: Duration) -> u32 {
    let (mut attempts, mut wait, mut waited) = (1, FIRST_WAIT, Duration::ZERO);
    while waited < time {
        attempts += 1;
        waited += wait;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
    attempts
}

/// What a run is called in the journal: the same for all attempts, and spelled as names of runs are.
fn name_of(invocation: &str) -> String {
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
    fn only_a_yes_is_one() {
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
