//! Batches of OpenAI, Azure and Groq.

use std::ops::ControlFlow;

use reqwest::{Method, Response};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::{
    BatchAnswer, BatchOutcome, BatchPhase, BatchRequest, BatchStatus, NewBatch, RemoteId,
    acts::is_queue_full,
    files::{RemoteFile, file_name},
    pages::{self, Page},
    remote::Remote,
};
use crate::ProviderError;
use lmthing_base::chat::read_json;

/// The key of a batch's name in its metadata.
pub(super) const NAME: &str = "lmthing";

/// How much earlier the clock of the provider may be, in seconds.
const CLOCK_SLACK: u64 = 3_600;

#[derive(Deserialize)]
struct Batch {
    id: RemoteId,
    #[serde(default)]
    status: String,
    #[serde(default)]
    created_at: u64,
    #[serde(default)]
    input_file_id: Option<RemoteId>,
    #[serde(default)]
    output_file_id: Option<RemoteId>,
    #[serde(default)]
    error_file_id: Option<RemoteId>,
    #[serde(default)]
    errors: Option<Errors>,
    #[serde(default)]
    request_counts: Option<Counts>,
}

#[derive(Default, Deserialize)]
struct Errors {
    #[serde(default)]
    data: Option<Vec<LineError>>,
}

#[derive(Deserialize)]
struct LineError {
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    line: Option<u64>,
}

#[derive(Default, Deserialize)]
struct Counts {
    #[serde(default)]
    completed: u64,
    #[serde(default)]
    failed: u64,
}

#[derive(Deserialize)]
struct List<T> {
    data: Vec<T>,
    #[serde(default)]
    has_more: bool,
}

pub(super) fn line(endpoint: &str, custom_id: &str, request: &BatchRequest) -> String {
    format!(
        r#"{{"custom_id":{},"method":"POST","url":{},"body":{}}}"#,
        Value::from(custom_id),
        Value::from(endpoint),
        request.body
    )
}

/// An item of a list.
trait Item: DeserializeOwned {
    fn id(&self) -> &RemoteId;

    /// Seconds since 1970; 0 if it is unknown.
    fn created_at(&self) -> u64;
}

impl Item for Batch {
    fn id(&self) -> &RemoteId {
        &self.id
    }

    fn created_at(&self) -> u64 {
        self.created_at
    }
}

impl Item for RemoteFile {
    fn id(&self) -> &RemoteId {
        &self.id
    }

    fn created_at(&self) -> u64 {
        self.created_at
    }
}

impl<T: Item> Page for List<T> {
    type Item = T;

    const NEXT: &'static str = "after";

    fn split(self, _: Option<&str>) -> (Vec<T>, Option<String>) {
        let last = self.data.last().filter(|_| self.has_more).map(|item| item.id().clone());
        (self.data, last)
    }
}

/// The newest item that `is_meant` of a list that begins with the newest and goes back to the time of the batch.
async fn find<T: Item>(
    remote: &Remote,
    new: &NewBatch,
    (list, query): (&str, &[(&str, &str)]),
    is_meant: impl Fn(&T) -> bool,
) -> Result<Option<RemoteId>, ProviderError> {
    let oldest = (new.created_at / 1_000).saturating_sub(CLOCK_SLACK);
    let query = [query, &[("limit", "100")]].concat();
    pages::find::<List<T>, _>(remote, &[list], &query, |item| match item.created_at() {
        _ if is_meant(&item) => ControlFlow::Break(Some(item.id().clone())),
        created if created != 0 && created < oldest => ControlFlow::Break(None),
        _ => ControlFlow::Continue(()),
    })
    .await
}

pub(super) async fn find_upload(remote: &Remote, new: &NewBatch) -> Result<Option<RemoteId>, ProviderError> {
    let name = file_name(new);
    let query = [("purpose", "batch"), ("order", "desc")];
    find(remote, new, ("files", &query), |file: &RemoteFile| file.filename == name).await
}

pub(super) async fn create(remote: &Remote, new: &NewBatch, file: &RemoteId) -> Result<RemoteId, ProviderError> {
    wait_for_file(remote, file).await?;
    let body = json!({
        "input_file_id": file,
        "endpoint": remote.target.endpoint(),
        "completion_window": "24h",
        "metadata": { NAME: new.name },
    });
    let act = remote.json(Method::POST, remote.url(&["batches"], &[]), &body);
    let id_of = async |response: Response| Ok(remote.read::<Batch>(response).await?.id);
    remote.perform_once(&act, id_of, || find_batch(remote, new, file)).await
}

/// Azure reads a file before a batch can be created of it.
async fn wait_for_file(remote: &Remote, file: &RemoteId) -> Result<(), ProviderError> {
    if remote.target.provider != "azure" {
        return Ok(());
    }
    let mut poll = remote.poll;
    loop {
        let found: RemoteFile = match remote.get(&["files", file], &[]).await {
            // The creation says what is wrong.
            Err(error) if error.status == Some(404) => return Ok(()),
            found => found?,
        };
        if !matches!(found.status.as_deref(), Some("pending" | "running" | "uploaded" | "notRunning")) {
            return Ok(());
        }
        tokio::time::sleep(poll.next()).await;
    }
}

/// The batch of the file that is newest. One that was refused may have been created by an earlier attempt.
pub(super) async fn find_batch(
    remote: &Remote,
    new: &NewBatch,
    file: &RemoteId,
) -> Result<Option<RemoteId>, ProviderError> {
    let is_meant = |batch: &Batch| batch.input_file_id.as_ref() == Some(file) && batch.status != "failed";
    find(remote, new, ("batches", &[]), is_meant).await
}

pub(super) async fn status(remote: &Remote, id: &RemoteId) -> Result<BatchStatus, ProviderError> {
    let batch: Batch = remote.get(&["batches", id], &[]).await?;
    let counts = batch.request_counts.unwrap_or_default();
    let phase = match batch.status.as_str() {
        "completed" => BatchPhase::Completed,
        "expired" => BatchPhase::Expired,
        "cancelled" => BatchPhase::Cancelled,
        "failed" => failure(batch.errors.unwrap_or_default()),
        _ => BatchPhase::InProgress,
    };
    let results: Vec<RemoteId> = match phase {
        BatchPhase::InProgress => Vec::new(),
        _ => batch.output_file_id.into_iter().chain(batch.error_file_id).collect(),
    };
    let files = batch.input_file_id.into_iter().chain(results.iter().cloned()).collect();
    let is_cancelling = batch.status == "cancelling";
    Ok(BatchStatus { phase, is_cancelling, succeeded: counts.completed, failed: counts.failed, files, results })
}

fn failure(errors: Errors) -> BatchPhase {
    let errors = errors.data.unwrap_or_default();
    let is_full =
        |error: &LineError| [&error.code, &error.message].into_iter().flatten().any(|code| is_queue_full(code));
    let is_queue_full = errors.iter().any(is_full);
    let words = errors.into_iter().take(3).map(|error| {
        let words = error.message.or(error.code).unwrap_or_default();
        error.line.map_or(words.clone(), |line| format!("line {line}: {words}"))
    });
    BatchPhase::Failed { reason: words.collect::<Vec<_>>().join("; "), is_queue_full }
}

/// A line of an output or error file.
#[derive(Deserialize)]
struct ResultLine {
    #[serde(default)]
    custom_id: String,
    #[serde(default)]
    response: Option<WholeResponse>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct WholeResponse {
    status_code: u16,
    body: Box<RawValue>,
}

pub(super) async fn results(
    remote: &Remote,
    file: &str,
    on: &mut dyn FnMut(&str, BatchOutcome) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ProviderError> {
    let url = remote.url(&["files", file, "content"], &[]);
    let mut on_line = |line: &str| {
        // A line that cannot be read leaves its request missing.
        let Ok(ResultLine { custom_id, response, error }) = read_json::<ResultLine>(line) else {
            return ControlFlow::Continue(());
        };
        let outcome = match (response, error.filter(|error| !error.is_null())) {
            (Some(WholeResponse { status_code: status @ 100..600, body }), _) => {
                Some(BatchAnswer { status, body }.into())
            }
            (_, Some(error)) => Some(outcome_of_error(&error)),
            _ => None,
        };
        outcome.map_or(ControlFlow::Continue(()), |outcome| on(&custom_id, outcome))
    };
    remote.lines(&url, &mut on_line).await
}

fn outcome_of_error(error: &Value) -> BatchOutcome {
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    let code = text("code").unwrap_or_default();
    let words = text("message").unwrap_or(code).to_owned();
    match code {
        "batch_expired" => BatchOutcome::Expired(words),
        "batch_cancelled" => BatchOutcome::Cancelled(words),
        _ => BatchAnswer::error(500, &json!({ "error": error })).into(),
    }
}

pub(super) async fn cancel(remote: &Remote, id: &RemoteId) -> Result<(), ProviderError> {
    remote.post_empty(&["batches", id, "cancel"]).await
}
