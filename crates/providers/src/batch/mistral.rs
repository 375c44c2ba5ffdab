//! Batches of Mistral, which are jobs.

use reqwest::{Method, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    BatchPhase, BatchRequest, BatchStatus, NewBatch, RemoteId,
    files::{RemoteFile, file_name},
    openai::NAME,
    remote::Remote,
};
use crate::ProviderError;

const PAGE: usize = 100;

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
struct Page<T> {
    data: Option<Vec<T>>,
}

pub(super) fn line(custom_id: &str, request: &BatchRequest) -> String {
    format!(r#"{{"custom_id":{},"body":{}}}"#, Value::from(custom_id), request.body)
}

pub(super) async fn find_upload(remote: &Remote, new: &NewBatch) -> Result<Option<RemoteId>, ProviderError> {
    let name = file_name(new);
    let query = [("purpose", "batch"), ("search", name.as_str())];
    for page in 0.. {
        let (page, size) = (page.to_string(), PAGE.to_string());
        let query: Vec<(&str, &str)> =
            query.into_iter().chain([("page", page.as_str()), ("page_size", &size)]).collect();
        let files = remote.get::<Page<RemoteFile>>(&["files"], &query).await?.data.unwrap_or_default();
        if let Some(found) = files.iter().find(|file| file.filename == name) {
            return Ok(Some(found.id.clone()));
        }
        if files.len() < PAGE {
            break;
        }
    }
    Ok(None)
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
    remote.perform_once(&act, id_of, || find_batch(remote, new, file)).await
}

pub(super) async fn find_batch(
    remote: &Remote,
    _new: &NewBatch,
    file: &RemoteId,
) -> Result<Option<RemoteId>, ProviderError> {
    for page in 0.. {
        let (page, size) = (page.to_string(), PAGE.to_string());
        let query = [("page", page.as_str()), ("page_size", &size), ("order_by", "-created")];
        let jobs = remote.get::<Page<Job>>(&["batch", "jobs"], &query).await?.data.unwrap_or_default();
        if let Some(found) = jobs.iter().find(|job| job.input_files.contains(file) && job.status != "FAILED") {
            return Ok(Some(found.id.clone()));
        }
        if jobs.len() < PAGE {
            break;
        }
    }
    Ok(None)
}

pub(super) async fn status(remote: &Remote, id: &RemoteId) -> Result<BatchStatus, ProviderError> {
    let job: Job = remote.poll(&["batch", "jobs", id]).await?;
    let phase = match job.status.as_str() {
        "SUCCESS" => BatchPhase::Completed,
        "TIMEOUT_EXCEEDED" => BatchPhase::Expired,
        "CANCELLED" => BatchPhase::Cancelled,
        // Requests of it may have been answered.
        "FAILED" if job.succeeded_requests > 0 || job.output_file.is_some() => BatchPhase::Completed,
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
