//! Message batches of Anthropic.

use std::{ops::ControlFlow, path::Path};

use reqwest::{Method, Response, Url};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    BatchAnswer, BatchOutcome, BatchPhase, BatchRequest, BatchStatus, FoundBatch, NewBatch, RemoteId,
    lines::FileBody,
    pages::{self, Page},
    remote::Remote,
};
use crate::ProviderError;
use lmthing_base::chat::read_json;

const LIST: [&str; 2] = ["messages", "batches"];

/// How much earlier the clock of the provider may be.
const CLOCK_SLACK_MS: u64 = 3_600_000;

#[derive(Deserialize)]
struct Batch {
    id: RemoteId,
    #[serde(default)]
    processing_status: String,
    #[serde(default)]
    created_at: String,
    #[serde(default)]
    cancel_initiated_at: Option<String>,
    #[serde(default)]
    results_url: Option<String>,
    #[serde(default)]
    request_counts: Counts,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Counts {
    processing: u64,
    succeeded: u64,
    errored: u64,
    canceled: u64,
    expired: u64,
}

impl Counts {
    fn total(&self) -> u64 {
        self.processing + self.succeeded + self.errored + self.canceled + self.expired
    }
}

#[derive(Deserialize)]
struct List {
    data: Vec<Batch>,
    #[serde(default)]
    has_more: bool,
    #[serde(default)]
    last_id: Option<RemoteId>,
}

impl Page for List {
    type Item = Batch;

    const NEXT: &'static str = "after_id";

    fn split(self, _: Option<&str>) -> (Vec<Batch>, Option<String>) {
        (self.data, self.last_id.filter(|_| self.has_more))
    }
}

pub(super) fn line(custom_id: &str, request: &BatchRequest) -> String {
    format!(r#"{{"custom_id":{},"params":{}}}"#, Value::from(custom_id), request.body)
}

pub(super) async fn create(remote: &Remote, new: &NewBatch, lines: &Path) -> Result<RemoteId, ProviderError> {
    let body = FileBody::list(r#"{"requests":["#.to_owned(), lines, "]}".to_owned());
    let body = body.map_err(|error| remote.unreadable(lines, &error))?.into_body("application/json");
    let act = remote.act(Method::POST, remote.url(&LIST, &[]), body);
    let id_of = async |response: Response| Ok(remote.read::<Batch>(response).await?.id);
    remote.perform_once(&act, id_of, || find_batch(remote, new)).await
}

/// Batches have neither names nor inputs, so those that are as new and as large are recognised by their results, which
/// are there once they have ended.
pub(super) async fn find_batch(remote: &Remote, new: &NewBatch) -> Result<FoundBatch, ProviderError> {
    let mut running = Vec::new();
    for batch in candidates(remote, new).await? {
        if !batch.has_ended() {
            running.push(format!("{} of {}", batch.id, batch.created_at));
        } else if is_it(remote, &batch, new).await? {
            return Ok(FoundBatch::Found(batch.id));
        }
    }
    Ok(if running.is_empty() { FoundBatch::Missing } else { FoundBatch::Unclear(running) })
}

async fn candidates(remote: &Remote, new: &NewBatch) -> Result<Vec<Batch>, ProviderError> {
    let since = i64::try_from(new.created_at.saturating_sub(CLOCK_SLACK_MS)).unwrap_or(i64::MAX);
    let is_new = |batch: &Batch| {
        batch.created_at.parse::<jiff::Timestamp>().map_or(true, |created| created.as_millisecond() >= since)
    };
    let mut found = Vec::new();
    // The newest come first.
    let on = |batch: Batch| {
        if !is_new(&batch) {
            return ControlFlow::Break(None::<()>);
        }
        found.extend(Some(batch).filter(|batch| batch.request_counts.total() == new.requests as u64));
        ControlFlow::Continue(())
    };
    pages::find::<List, _>(remote, &LIST, &[("limit", "100")], on).await?;
    Ok(found)
}

/// Whether the first of its results is of a request of this batch.
async fn is_it(remote: &Remote, batch: &Batch, new: &NewBatch) -> Result<bool, ProviderError> {
    let mut is_it = false;
    let mut on = |id: &str, _: BatchOutcome| {
        let number = id.strip_prefix(&new.name).and_then(|rest| rest.strip_prefix('-'));
        is_it = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        ControlFlow::Break(())
    };
    match results(remote, &batch.results_places(), &mut on).await {
        // What is kept no longer is not new.
        Err(error) if matches!(error.status, Some(404 | 410)) => Ok(false),
        read => read.map(|()| is_it),
    }
}

impl Batch {
    fn has_ended(&self) -> bool {
        self.processing_status == "ended"
    }

    /// A gateway may pass on the address of the service itself, where its own key is no key.
    fn results_places(&self) -> Vec<String> {
        [format!("{}/results", self.id)].into_iter().chain(self.results_url.clone()).collect()
    }
}

pub(super) async fn status(remote: &Remote, id: &RemoteId) -> Result<BatchStatus, ProviderError> {
    let [messages, batches] = LIST;
    let batch: Batch = remote.get(&[messages, batches, id], &[]).await?;
    let counts = &batch.request_counts;
    let phase = match () {
        () if !batch.has_ended() => BatchPhase::InProgress,
        () if batch.cancel_initiated_at.is_some() || counts.canceled > 0 => BatchPhase::Cancelled,
        () if counts.expired > 0 => BatchPhase::Expired,
        () => BatchPhase::Completed,
    };
    let results = if batch.has_ended() { batch.results_places() } else { Vec::new() };
    let is_cancelling = batch.processing_status == "canceling";
    Ok(BatchStatus {
        phase,
        is_cancelling,
        succeeded: counts.succeeded,
        failed: counts.errored,
        files: Vec::new(),
        results,
    })
}

#[derive(Deserialize)]
struct ResultLine {
    custom_id: String,
    result: Outcome,
}

#[derive(Deserialize)]
struct Outcome {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    message: Option<Box<RawValue>>,
    #[serde(default)]
    error: Value,
}

/// Reads the results at the first of the places that has them.
pub(super) async fn results(
    remote: &Remote,
    places: &[String],
    on: &mut dyn FnMut(&str, BatchOutcome) -> ControlFlow<()>,
) -> Result<(), ProviderError> {
    let [messages, batches] = LIST;
    let mut on_line = |line: &str| {
        // A line that cannot be read leaves its request missing.
        let Ok(ResultLine { custom_id, result }) = read_json::<ResultLine>(line) else {
            return ControlFlow::Continue(());
        };
        let outcome = match (result.kind.as_str(), result.message) {
            ("succeeded", Some(body)) => BatchAnswer { status: 200, body }.into(),
            ("errored", _) => {
                let kind = result.error.pointer("/error/type").or(result.error.get("type"));
                BatchAnswer::error(status_of(kind.and_then(Value::as_str).unwrap_or_default()), &result.error).into()
            }
            ("expired", _) => BatchOutcome::Expired("The request expired before it was answered.".to_owned()),
            ("canceled", _) => BatchOutcome::Cancelled("The batch was cancelled.".to_owned()),
            _ => return ControlFlow::Continue(()),
        };
        on(&custom_id, outcome)
    };
    let mut left = places.iter();
    while let Some(place) = left.next() {
        let url = Url::parse(place).unwrap_or_else(|_| remote.url(&[messages, batches, place], &[]));
        match remote.lines(&url, &mut on_line).await {
            Err(error) if matches!(error.status, Some(400..500)) && left.len() > 0 => {}
            read => return read.map(drop),
        }
    }
    Ok(())
}

/// The status with which the service sends errors of a type.
fn status_of(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}

pub(super) async fn cancel(remote: &Remote, id: &RemoteId) -> Result<(), ProviderError> {
    let [messages, batches] = LIST;
    remote.post_empty(&[messages, batches, id, "cancel"]).await
}
