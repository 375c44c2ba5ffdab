//! Batches of Gemini: small ones with their requests inside, and large ones of files.

use std::{io, ops::ControlFlow, path::Path};

use reqwest::{Method, Response, Url};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::{
    BatchAnswer, BatchOutcome, BatchPhase, BatchRequest, BatchStatus, NewBatch, RemoteId,
    acts::is_queue_full,
    lines::FileBody,
    pages::{self, Page, found},
    remote::Remote,
};
use crate::{ProviderError, ProviderErrorKind, transport::ActBody};
use lmthing_base::chat::read_json;

/// The largest batch with its requests inside. Up to 20 MB are taken, but the answers, which are often much longer, come
/// in one piece then.
pub(super) const MAX_INLINE: u64 = 4 << 20;

/// A long-running operation, in which the batch is the metadata.
#[derive(Deserialize)]
struct Operation {
    name: RemoteId,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    response: Option<Responses>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    state: String,
    display_name: String,
    input_config: Option<InputConfig>,
    output: Option<Responses>,
    batch_stats: Option<Stats>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InputConfig {
    #[serde(default)]
    file_name: Option<RemoteId>,
}

/// Counts are strings, as all numbers of 64 bits are.
#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
struct Stats {
    successful_request_count: Value,
    failed_request_count: Value,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Responses {
    responses_file: Option<RemoteId>,
    inlined_responses: Option<Inlined>,
    /// The response of an operation may be the batch.
    output: Option<Box<Responses>>,
}

impl Operation {
    fn output(&mut self) -> Option<Responses> {
        let mut response = self.response.take().unwrap_or_default();
        let inner = response.output.take().map(|output| *output);
        let all = [Some(response), inner, self.metadata.output.take()];
        all.into_iter().flatten().find(|output| output.responses_file.is_some() || output.inlined_responses.is_some())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inlined {
    #[serde(default)]
    inlined_responses: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct UploadedFile {
    file: File,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: RemoteId,
    #[serde(default)]
    display_name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List<T> {
    #[serde(alias = "operations", alias = "files", default = "Vec::new")]
    items: Vec<T>,
    #[serde(default)]
    next_page_token: Option<String>,
}

impl<T: DeserializeOwned> Page for List<T> {
    type Item = T;

    const NEXT: &'static str = "pageToken";

    fn split(self, _: Option<&str>) -> (Vec<T>, Option<String>) {
        (self.items, self.next_page_token.filter(|token| !token.is_empty()))
    }
}

pub(super) fn line(custom_id: &str, request: &BatchRequest) -> String {
    format!(r#"{{"key":{},"request":{}}}"#, Value::from(custom_id), request.body)
}

/// A line as an item of a batch with its requests inside.
#[derive(Deserialize)]
struct InputLine {
    key: String,
    request: Box<RawValue>,
}

/// Uploads a file in two requests: the first one says what it is, and gets the address for its content.
pub(super) async fn upload(remote: &Remote, new: &NewBatch, lines: &Path) -> Result<RemoteId, ProviderError> {
    let body = FileBody::new(String::new(), lines, String::new());
    let body = body.map_err(|error| remote.unreadable(lines, &error))?.into_body("application/jsonl");
    let ActBody::Stream { length, .. } = &body else { unreachable!("a file is streamed") };
    let described = json!({ "file": { "displayName": new.name, "mimeType": "application/jsonl" } });
    let mut start = remote.json(Method::POST, prefixed(remote.url(&["files"], &[]), "upload"), &described);
    start.headers.extend(upload_headers(&[
        ("protocol", "resumable"),
        ("command", "start"),
        ("header-content-length", &length.to_string()),
        ("header-content-type", "application/jsonl"),
    ]));
    let started = remote.perform(&start).await?;
    let place = started.headers().get("x-goog-upload-url").and_then(|place| place.to_str().ok());
    let place = place.and_then(|place| remote.endpoint.join(place).ok());
    let place = place.ok_or_else(|| remote.model.wrong_answer("The provider names no address for an upload."))?;
    let mut content = remote.act(Method::POST, place, body);
    content.is_authorised = content.url.origin() == remote.endpoint.origin();
    content.headers.extend(upload_headers(&[("command", "upload, finalize"), ("offset", "0")]));
    let id_of = async |response: Response| Ok(remote.read::<UploadedFile>(response).await?.file.name);
    remote.perform_once(&content, id_of, || find_upload(remote, new)).await
}

fn upload_headers(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| (format!("x-goog-upload-{name}"), (*value).to_owned())).collect()
}

/// The URL of a file or of all files with a segment before the version.
fn prefixed(mut url: Url, prefix: &str) -> Url {
    let segments: Vec<String> = url.path_segments().into_iter().flatten().map(str::to_owned).collect();
    let files = segments.iter().rposition(|segment| segment == "files").unwrap_or_default();
    let (before, after) = segments.split_at(files.saturating_sub(1));
    url.set_path(&[before, &[prefix.to_owned()], after].concat().join("/"));
    url
}

const PAGE_SIZE: (&str, &str) = ("pageSize", "100");

pub(super) async fn find_upload(remote: &Remote, new: &NewBatch) -> Result<Option<RemoteId>, ProviderError> {
    let on = |file: File| found(file.name, file.display_name == new.name);
    pages::find::<List<File>, _>(remote, &["files"], &[PAGE_SIZE], on).await
}

pub(super) async fn find_batch(remote: &Remote, new: &NewBatch) -> Result<Option<RemoteId>, ProviderError> {
    let on = |operation: Operation| {
        let Metadata { display_name, state, .. } = operation.metadata;
        found(operation.name, display_name == new.name && phase_of(&state) != Some("FAILED"))
    };
    pages::find::<List<Operation>, _>(remote, &["batches"], &[PAGE_SIZE], on).await
}

pub(super) async fn create(
    remote: &Remote,
    new: &NewBatch,
    file: Option<&RemoteId>,
    lines: &Path,
) -> Result<RemoteId, ProviderError> {
    let input = match file {
        Some(file) => json!({ "fileName": file }).to_string(),
        None => {
            let requests = inlined(lines).map_err(|error| remote.unreadable(lines, &error))?;
            format!(r#"{{"requests":{{"requests":[{requests}]}}}}"#)
        }
    };
    let name = Value::from(new.name.as_str());
    let body = format!(r#"{{"batch":{{"displayName":{name},"inputConfig":{input}}}}}"#);
    let model = remote.target.model_id.as_deref().unwrap_or_default();
    let model = if model.contains('/') { model.to_owned() } else { format!("models/{model}") };
    let url = remote.url(&[&format!("{model}:batchGenerateContent")], &[]);
    let act = remote.act(Method::POST, url, ActBody::Json(body.into()));
    let id_of = async |response: Response| Ok(remote.read::<Operation>(response).await?.name);
    remote.perform_once(&act, id_of, || find_batch(remote, new)).await
}

fn inlined(lines: &Path) -> io::Result<String> {
    let text = std::fs::read_to_string(lines)?;
    let item = |line: &str| {
        let InputLine { key, request } = read_json(line).map_err(io::Error::other)?;
        Ok(format!(r#"{{"request":{request},"metadata":{{"key":{}}}}}"#, Value::from(key)))
    };
    Ok(text.lines().filter(|line| !line.is_empty()).map(item).collect::<io::Result<Vec<_>>>()?.join(","))
}

/// A state without what the names of all of them begin with.
fn phase_of(state: &str) -> Option<&str> {
    state.split_once("_STATE_").map(|(_, phase)| phase)
}

pub(super) async fn status(remote: &Remote, id: &RemoteId) -> Result<BatchStatus, ProviderError> {
    let mut operation: Operation = remote.get(&[id], &[]).await?;
    let output = operation.output();
    let (metadata, error) = (operation.metadata, operation.error);
    let phase = match phase_of(&metadata.state) {
        Some("SUCCEEDED" | "PARTIALLY_SUCCEEDED") => BatchPhase::Completed,
        Some("EXPIRED") => BatchPhase::Expired,
        Some("CANCELLED") => BatchPhase::Cancelled,
        Some("FAILED") => failure(error.as_ref()),
        None if error.is_some() => failure(error.as_ref()),
        _ => BatchPhase::InProgress,
    };
    let stats = metadata.batch_stats.unwrap_or_default();
    let mut status = BatchStatus {
        phase,
        is_cancelling: false,
        succeeded: count(&stats.successful_request_count),
        failed: count(&stats.failed_request_count),
        files: metadata.input_config.and_then(|input| input.file_name).into_iter().collect(),
        results: Vec::new(),
    };
    if let Some(output) = output.filter(|_| status.has_ended()) {
        let is_inline = output.inlined_responses.is_some();
        status.files.extend(output.responses_file.clone());
        status.results.extend(output.responses_file.or_else(|| is_inline.then(|| id.clone())));
    }
    Ok(status)
}

fn failure(error: Option<&Value>) -> BatchPhase {
    let text = error.and_then(|error| error.get("message")?.as_str()).unwrap_or_default();
    BatchPhase::Failed { reason: text.to_owned(), is_queue_full: is_queue_full(text) }
}

fn count(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
}

#[derive(Deserialize)]
struct ResultLine {
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    metadata: Option<Key>,
    #[serde(default)]
    response: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Key {
    #[serde(default)]
    key: String,
}

pub(super) async fn results(
    remote: &Remote,
    place: &str,
    on: &mut dyn FnMut(&str, BatchOutcome) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ProviderError> {
    if place.starts_with("files/") {
        let url = remote.url(&[&format!("{place}:download")], &[("alt", "media")]);
        let on_line = &mut |line: &str| result(line, on);
        let read = match remote.lines(&url, on_line).await {
            Err(error) if error.status == Some(404) => remote.lines(&prefixed(url, "download"), on_line).await,
            read => read,
        };
        return read.map_err(|error| if is_of_missing_file(&error) { not_found(error) } else { error });
    }
    let mut operation: Operation = remote.get(&[place], &[]).await?;
    let lines = operation
        .output()
        .and_then(|output| output.inlined_responses)
        .map(|inlined| inlined.inlined_responses)
        .unwrap_or_default();
    let is_break = lines.iter().any(|line| result(line.get(), on).is_break());
    Ok(if is_break { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
}

/// Files that do not exist are refused like those of others.
fn is_of_missing_file(error: &ProviderError) -> bool {
    error.status == Some(403) && error.message.contains("may not exist")
}

fn not_found(error: ProviderError) -> ProviderError {
    ProviderError { kind: ProviderErrorKind::BadRequest, status: Some(404), hint: None, ..error }
}

/// A line that cannot be read leaves its request missing.
fn result(line: &str, on: &mut dyn FnMut(&str, BatchOutcome) -> ControlFlow<()>) -> ControlFlow<()> {
    let Some(ResultLine { key, metadata, response, error }) = parsed::<ResultLine>(line) else {
        return ControlFlow::Continue(());
    };
    let Some(key) = key.or_else(|| metadata.map(|metadata| metadata.key)) else { return ControlFlow::Continue(()) };
    let outcome = match (response, error) {
        (_, Some(error)) if !error.is_null() => outcome_of_error(&error),
        (Some(body), _) => BatchAnswer { status: 200, body }.into(),
        (None, _) => return ControlFlow::Continue(()),
    };
    on(&key, outcome)
}

fn parsed<T: DeserializeOwned>(line: &str) -> Option<T> {
    read_json(line).ok()
}

/// Errors have the codes of gRPC.
fn outcome_of_error(error: &Value) -> BatchOutcome {
    let words = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    let status = match error.get("code").and_then(Value::as_u64).unwrap_or(13) {
        1 => return BatchOutcome::Cancelled(words),
        4 if words.to_ascii_lowercase().contains("expired") => return BatchOutcome::Expired(words),
        3 | 9 | 11 => 400,
        4 => 504,
        5 => 404,
        7 => 403,
        8 => 429,
        14 => 503,
        16 => 401,
        code @ 400..600 => u16::try_from(code).unwrap_or(500),
        _ => 500,
    };
    BatchAnswer::error(status, &json!({ "error": error })).into()
}

pub(super) async fn cancel(remote: &Remote, id: &RemoteId) -> Result<(), ProviderError> {
    remote.post_empty(&[&format!("{id}:cancel")]).await
}
