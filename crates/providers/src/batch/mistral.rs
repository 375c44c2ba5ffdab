//! Batches of Mistral, which are jobs.

use reqwest::{Method, Response};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    BatchPhase, BatchRequest, BatchStatus, NewBatch, RemoteId,
    files::{RemoteFile, file_name},
    openai::NAME,
    pages::{self, Page, found},
    remote::Remote,
};
use crate::ProviderError;

const PAGE_SIZE: usize = 100;

const SIZE: (&str, &str) = ("page_size", "100");

#[derive(Deserialize)]
struct Job {
    id: RemoteId,
    #[serde(default)]
    status: String,
    #[serde(default)]
    input_files: Vec<RemoteId>,
    #[serde(default)]
    output_file: Option<RemoteId>,
    #[serde(default)]
    error_file: Option<RemoteId>,
    #[serde(default)]
    errors: Option<Vec<JobError>>,
    #[serde(default)]
    succeeded_requests: u64,
    #[serde(default)]
    failed_requests: u64,
}

#[derive(Deserialize)]
struct JobError {
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct List<T> {
    data: Option<Vec<T>>,
}

impl<T: DeserializeOwned> Page for List<T> {
    type Item = T;

    const NEXT: &'static str = "page";

    /// Pages have numbers from 0 on, and only the last one is not full.
    fn split(self, at: Option<&str>) -> (Vec<T>, Option<String>) {
        let items = self.data.unwrap_or_default();
        let number: usize = at.and_then(|at| at.parse().ok()).unwrap_or(0);
        let next = (items.len() >= PAGE_SIZE).then(|| (number + 1).to_string());
        (items, next)
    }
}

pub(super) fn line(custom_id: &str, request: &BatchRequest) -> String {
    format!(r#"{{"custom_id":{},"body":{}}}"#, Value::from(custom_id), request.body)
}

pub(super) async fn find_upload(remote: &Remote, new: &NewBatch) -> Result<Option<RemoteId>, ProviderError> {
    let name = file_name(new);
    let query = [("purpose", "batch"), ("search", name.as_str()), SIZE];
    let on = |file: RemoteFile| found(file.id, file.filename == name);
    pages::find::<List<RemoteFile>, _>(remote, &["files"], &query, on).await
}

pub(super) async fn create(remote: &Remote, new: &NewBatch, file: &RemoteId) -> Result<RemoteId, ProviderError> {
    let body = json!({
        "input_files": [file],
        "endpoint": remote.target.endpoint(),
        "model": remote.target.model_id,
        "metadata": { NAME: new.name },
    });
    let act = remote.json(Method::POST, remote.url(&["batch", "jobs"], &[]), &body);
    let id_of = async |response: Response| Ok(remote.read::<Job>(response).await?.id);
    remote.perform_once(&act, id_of, || find_batch(remote, file)).await
}

pub(super) async fn find_batch(remote: &Remote, file: &RemoteId) -> Result<Option<RemoteId>, ProviderError> {
    let on = |job: Job| found(job.id, job.input_files.contains(file) && job.status != "FAILED");
    pages::find::<List<Job>, _>(remote, &["batch", "jobs"], &[("order_by", "-created"), SIZE], on).await
}

pub(super) async fn status(remote: &Remote, id: &RemoteId) -> Result<BatchStatus, ProviderError> {
    let job: Job = remote.get(&["batch", "jobs", id], &[]).await?;
    let phase = match job.status.as_str() {
        "SUCCESS" => BatchPhase::Completed,
        "TIMEOUT_EXCEEDED" => BatchPhase::Expired,
        "CANCELLED" => BatchPhase::Cancelled,
        "FAILED" => {
            let reason =
                job.errors.into_iter().flatten().take(3).map(|error| error.message).collect::<Vec<_>>().join("; ");
            let is_queue_full = super::acts::is_queue_full(&reason);
            BatchPhase::Failed { reason, is_queue_full }
        }
        _ => BatchPhase::InProgress,
    };
    let results: Vec<RemoteId> = match phase {
        BatchPhase::InProgress => Vec::new(),
        _ => job.output_file.into_iter().chain(job.error_file).collect(),
    };
    let files = job.input_files.into_iter().chain(results.iter().cloned()).collect();
    let is_cancelling = job.status == "CANCELLATION_REQUESTED";
    Ok(BatchStatus {
        phase,
        is_cancelling,
        succeeded: job.succeeded_requests,
        failed: job.failed_requests,
        files,
        results,
    })
}

pub(super) async fn cancel(remote: &Remote, id: &RemoteId) -> Result<(), ProviderError> {
    remote.post_empty(&["batch", "jobs", id, "cancel"]).await
}
