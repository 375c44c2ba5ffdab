//! A row that a worker runs by way of a Restate server.
//!
//! Idempotency keys make a repeated command wait for runs that are still going and reuse finished ones. A key is made
//! of the row's input and two numbers. `copy` distinguishes rows with equal inputs: the lowest whose run belongs to no
//! other row. `failures` counts how often that copy has failed, so that a run that failed in an earlier command is
//! repeated under another key. Only the common salt of all keys and the runs whose results are in OUT have to be
//! stored.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::{Map, Value};
use tokio::time::sleep;

use super::message::Job;
use crate::{
    hashes::{hash_input, hash_text, idempotency_key},
    options::RemoteService,
    results::{RemoteAttempt, RowError, RowOutcome},
    row_files::RowFiles,
};
use lmthing_base::input::InputShape;
use lmthing_engine::prompt::RunError;
use lmthing_system::remote::{IngressClient, InvocationResult, RemoteError};

const GONE_RETRY_DELAY: Duration = Duration::from_secs(1);

pub(crate) struct RemoteRows {
    pub(super) server: RemoteService,
    salt: String,
    files: RowFiles,
    taken: Arc<InputShape>,
    claims: Mutex<Claims>,
}

struct Claims {
    /// Hashes of runs and keys with the row that owns them; 0 for those whose results are in OUT.
    runs: HashMap<u64, u64>,
    begun: HashSet<u64>,
    /// First copy that may be free, for inputs that several rows share.
    copies: HashMap<u64, u32>,
}

impl RemoteRows {
    /// `claims` are the hashes of the runs whose results are in OUT.
    pub(crate) fn new(
        server: RemoteService,
        salt: String,
        claims: impl IntoIterator<Item = u64>,
        (files, taken): (RowFiles, Arc<InputShape>),
    ) -> Self {
        let runs = claims.into_iter().map(|run| (run, 0)).collect();
        let claims = Claims { runs, begun: HashSet::new(), copies: HashMap::new() };
        RemoteRows { server, salt, files, taken, claims: Mutex::new(claims) }
    }

    /// Claims a run or a key for a row; returns whether the row owns it now.
    fn claim(&self, run: &str, row: u64) -> bool {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        *claims.runs.entry(hash_text(run)).or_insert(row) == row
    }

    /// Whether a run was started by an earlier command. `is_known`: the server has seen its key before.
    fn is_earlier(&self, run: &str, is_known: bool) -> bool {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let run = hash_text(run);
        if !is_known {
            claims.begun.insert(run);
        }
        !claims.begun.contains(&run)
    }

    fn first_copy(&self, input: u64) -> u32 {
        let claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claims.copies.get(&input).copied().unwrap_or_default()
    }

    fn raise_first_copy(&self, input: u64, copy: u32) {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let first = claims.copies.entry(input).or_default();
        *first = copy.max(*first);
    }
}

/// Submits a row, or attaches to its existing run, and waits for the end. Errors concern the server, not the row.
pub(super) async fn run(rows: &RemoteRows, remote: &IngressClient, job: &Job) -> Result<RowOutcome, RemoteError> {
    let began = Instant::now();
    let number = hash_input(&job.input);
    let first = || RemoteAttempt { copy: rows.first_copy(number), failures: 0 };
    let service = &rows.server.service;
    let mut remote_attempt = job.remote_attempt.unwrap_or_else(first);
    let mut was_gone = false;
    loop {
        let key = idempotency_key(&rows.salt, service, &job.input, (remote_attempt.copy, remote_attempt.failures));
        // Of equal rows only one submits a key.
        let submitted = match rows.claim(&key, job.row) {
            true => match rows.files.load(&rows.taken.declaration, &job.input) {
                Ok(input) => Some(remote.submit(service, &key, &Value::Object(input)).await?),
                Err(why) => {
                    let failure = Some(RowError::new(RunError::USAGE_EXIT_CODE, "input", why.to_string()));
                    return Ok(RowOutcome { failure, ..RowOutcome::default() });
                }
            },
            false => None,
        };
        let Some(submitted) = submitted.filter(|submitted| rows.claim(&submitted.invocation, job.row)) else {
            remote_attempt = RemoteAttempt { copy: remote_attempt.copy + 1, failures: 0 };
            rows.raise_first_copy(number, remote_attempt.copy);
            continue;
        };
        let invocation = submitted.invocation;
        let known =
            if rows.is_earlier(&invocation, submitted.is_earlier) { remote.output(&invocation).await? } else { None };
        if known.as_ref().is_some_and(has_failed) {
            remote_attempt.failures += 1;
            continue;
        }
        let ended = match known {
            Some(ended) => ended,
            None => remote.wait(&invocation).await?,
        };
        if matches!(ended, InvocationResult::Gone) && !was_gone {
            // The server may have discarded it between the two requests.
            was_gone = true;
            sleep(GONE_RETRY_DELAY).await;
            continue;
        }
        return Ok(RowOutcome {
            invocation: Some(invocation),
            remote_attempt: Some(remote_attempt),
            ..outcome(ended, began.elapsed())
        });
    }
}

fn has_failed(ended: &InvocationResult) -> bool {
    match ended {
        InvocationResult::Answer(report) => report["ok"] != Value::Bool(true),
        InvocationResult::Failed(..) => true,
        InvocationResult::Gone => false,
    }
}

fn outcome(ended: InvocationResult, took: Duration) -> RowOutcome {
    let failed = |message: String| Some(RowError::new(RunError::SCRIPT_EXIT_CODE, "server", message));
    let mut report = match ended {
        InvocationResult::Answer(Value::Object(report)) if report.contains_key("ok") => report,
        InvocationResult::Gone => {
            let failure = failed("the server has taken the run and does not know it".to_owned()).map(|failure| {
                failure.with_hint("is URL one server, and does it keep results? the same command runs the row again")
            });
            return RowOutcome { failure, took, ..RowOutcome::default() };
        }
        InvocationResult::Answer(_) => {
            let failure = failed("the service answered with something that is no report of a run".to_owned());
            return RowOutcome { failure, cost: Some(0.0), took, ..RowOutcome::default() };
        }
        InvocationResult::Failed(status, message) => {
            let failure = failed(format!("the run failed at the server (status {status}): {message}"));
            return RowOutcome { failure, took, ..RowOutcome::default() };
        }
    };
    let is_good = report["ok"] == Value::Bool(true);
    let failure = report.remove("error").and_then(|error| serde_json::from_value(error).ok());
    let failure = failure.or_else(|| failed("the run failed and does not say why".to_owned()));
    RowOutcome {
        text: report.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
        output: report.remove("output").filter(|_| is_good),
        finish_reason: read(&mut report, "finishReason").flatten(),
        usage: read(&mut report, "usage").unwrap_or_default(),
        cost: report.get("cost").and_then(Value::as_f64),
        took: report.get("durationMs").and_then(Value::as_u64).map_or(took, Duration::from_millis),
        steps: report.get("steps").and_then(Value::as_u64).unwrap_or_default(),
        failure: failure.filter(|_| !is_good),
        ..RowOutcome::default()
    }
}

fn read<T: serde::de::DeserializeOwned>(report: &mut Map<String, Value>, key: &str) -> Option<T> {
    serde_json::from_value(report.remove(key)?).ok()
}
