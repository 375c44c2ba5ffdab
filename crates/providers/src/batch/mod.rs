//! Batches: requests that a provider answers within a day at a lower price (docs/reference/batches.md).
//!
//! [`Batching`] takes the requests of runs instead of the network, and [`BatchClient`] submits them. What is submitted
//! when, and what is stored about it, is decided by the caller.

mod acts;
mod anthropic;
mod client;
mod files;
mod gate;
mod google;
mod lines;
mod mistral;
mod openai;
mod pages;
mod refusal;
mod remote;
mod service;

use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

pub use client::BatchClient;
pub(super) use gate::Gate;
use lmthing_base::chat::RequestPlace;
pub(super) use refusal::no_batches;
pub(super) use service::BatchService;

use super::{ProviderError, ProviderSettings};

/// Takes the requests of a run that are to be answered by a batch.
pub trait Batching {
    /// What happens to a request. The future stays pending while a batch has not answered it; the run is then dropped
    /// and run again later.
    fn ask(&self, request: BatchRequest) -> LocalBoxFuture<'_, Dispatch>;
}

/// What happens to a request of a run whose requests go into batches.
#[derive(Debug)]
pub enum Dispatch {
    /// A batch has answered it.
    Answered(BatchAnswer),
    /// It is sent at once, at the price of any other request.
    Send,
    /// It cannot be answered. The error is that of the run.
    Failed(ProviderError),
}

/// A request as it stands in a batch.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchRequest {
    /// The service that must answer it. Requests of one batch have equal targets.
    pub target: BatchTarget,
    pub model_id: String,
    /// The body as it would be sent, without what asks for a stream.
    pub body: Box<RawValue>,
    /// Which request of the run it is.
    pub place: RequestPlace,
    /// What the file sets of the provider, such as `createOpenAI({apiKey})`, for [`BatchClient::new`]. It may hold keys,
    /// so it is kept in memory only.
    #[serde(skip)]
    pub settings: ProviderSettings,
}

/// A service, address and endpoint, without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchTarget {
    pub provider: String,
    /// The base URL of the provider.
    pub address: String,
    /// The path of a single request with its query, such as `/responses`.
    pub path: String,
    /// Where all requests of a batch must have the same model, that model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// Headers that requests need and batches take for all of their requests, such as `anthropic-beta`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

/// What a batch says to one of its requests.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchAnswer {
    /// The status that the request would have had.
    pub status: u16,
    /// The whole answer, or the provider's error.
    pub body: Box<RawValue>,
}

/// What a provider takes in one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    pub requests: usize,
    pub bytes: u64,
}

/// A batch that is to be submitted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewBatch {
    /// A name that no other batch has. Uploads and batches are found by it when an answer was lost. The ids of its
    /// requests are it, a hyphen and a number.
    pub name: String,
    pub target: BatchTarget,
    pub requests: usize,
    /// When it was first submitted, in milliseconds since 1970.
    pub created_at: u64,
}

/// A file that was uploaded, or a batch, by the provider's id.
pub type RemoteId = String;

/// What a search for a batch has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundBatch {
    Found(RemoteId),
    Missing,
    /// One of these batches may be it, which shows when they have ended.
    Unclear(Vec<String>),
}

impl From<Option<RemoteId>> for FoundBatch {
    fn from(found: Option<RemoteId>) -> Self {
        found.map_or(FoundBatch::Missing, FoundBatch::Found)
    }
}

/// The state of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchStatus {
    pub phase: BatchPhase,
    /// Whether it was asked to end, and has not ended yet.
    #[serde(default)]
    pub is_cancelling: bool,
    pub succeeded: u64,
    pub failed: u64,
    /// Files of the batch that the provider keeps until they are deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RemoteId>,
    /// Where results are, in the provider's form; empty until there are any. For Anthropic, places of the same results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
}

/// How far a batch is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatchPhase {
    #[default]
    InProgress,
    /// It has ended, though requests may have failed.
    Completed,
    /// It was not answered in time. Results may be there for a part.
    Expired,
    Cancelled,
    /// It was refused as a whole, for the provider's reason.
    Failed {
        reason: String,
        is_queue_full: bool,
    },
    /// The provider does not have it, or its results, any more.
    Gone,
}

impl BatchStatus {
    pub fn has_ended(&self) -> bool {
        self.phase != BatchPhase::InProgress
    }
}

impl BatchTarget {
    /// The endpoint as the requests of a file name it, such as `/v1/chat/completions`.
    fn endpoint(&self) -> String {
        let path = self.path.split('?').next().unwrap_or_default();
        if path.starts_with("/v1/") { path.to_owned() } else { format!("/v1{path}") }
    }
}

impl BatchAnswer {
    /// An answer that is an error, for an interface that gives it without a status.
    fn error(status: u16, body: &Value) -> Self {
        let body = RawValue::from_string(body.to_string()).expect("a value is JSON");
        BatchAnswer { status, body }
    }
}

impl From<BatchAnswer> for BatchOutcome {
    fn from(answer: BatchAnswer) -> Self {
        BatchOutcome::Answered(answer)
    }
}

/// What has become of a request of a batch. A request that no result names is missing.
#[derive(Clone, Debug)]
pub enum BatchOutcome {
    Answered(BatchAnswer),
    /// It was not answered in time, in the provider's words.
    Expired(String),
    /// The batch was cancelled before it was answered, in the provider's words.
    Cancelled(String),
}
