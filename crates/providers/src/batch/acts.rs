//! Requests of a batch remote, with waits and repetitions.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use reqwest::{Method, Response, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{FoundBatch, RemoteId, remote::Remote};
use crate::{
    ProviderError, ProviderErrorKind, ProviderEvent,
    transport::{Act, ActBody, ActFailure},
};
use lmthing_base::chat::read_json;
use lmthing_system::http::{Body, BodyError};

/// Attempts of an act that fails for another reason than a limit.
const MAX_ATTEMPTS: u32 = 5;

/// The longest time without a piece of an answer.
const PATIENCE: Duration = Duration::from_secs(300);

/// The largest answer that is no file of lines; batches of Gemini have their results inside.
const MAX_ANSWER: usize = 256 << 20;

/// The longest wait that the server has not asked for.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// How often a lost answer is looked up, as lists may be late.
const LOOKUPS: u32 = 2;

impl Remote {
    pub(super) fn act(&self, method: Method, url: Url, body: ActBody) -> Act {
        let headers = self.target.headers.clone();
        Act { method, url, headers, body, is_authorised: true, is_redirectable: false }
    }

    pub(super) fn json(&self, method: Method, url: Url, body: &Value) -> Act {
        self.act(method, url, ActBody::Json(body.to_string().into()))
    }

    /// Performs an act that may be repeated.
    pub(super) async fn perform(&self, act: &Act) -> Result<Response, ProviderError> {
        let mut waits = Waits::default();
        loop {
            match self.model.send(act).await {
                Ok(response) => return Ok(response),
                Err(failure) => waits.wait(self, failure).await?,
            }
        }
    }

    /// Performs an act that must not be done twice: if its answer was lost, `find` looks for what it has done. While that
    /// is not clear, the act has failed for the reason for which its answer was lost.
    pub(super) async fn perform_once<L: Into<FoundBatch>, F: Future<Output = Result<L, ProviderError>>>(
        &self,
        act: &Act,
        id_of: impl AsyncFn(Response) -> Result<RemoteId, ProviderError>,
        find: impl Fn() -> F,
    ) -> Result<RemoteId, ProviderError> {
        let mut waits = Waits::default();
        loop {
            let failure = match self.model.send(act).await {
                Ok(response) => match id_of(response).await {
                    Ok(id) => return Ok(id),
                    Err(error) if error.kind == ProviderErrorKind::Connection => ActFailure::lost(error),
                    Err(error) => return Err(error),
                },
                Err(failure) => failure,
            };
            let (may_be_done, error) = (failure.may_be_done, failure.error.clone());
            let waited = waits.wait(self, failure).await;
            for lookup in 0..if may_be_done { LOOKUPS } else { 0 } {
                if lookup > 0 {
                    tokio::time::sleep(self.model.context.first_wait).await;
                }
                match find().await.map(Into::into) {
                    Ok(FoundBatch::Found(id)) => return Ok(id),
                    Ok(FoundBatch::Missing) => {}
                    Ok(FoundBatch::Unclear(_)) | Err(_) => return Err(error),
                }
            }
            waited?;
        }
    }

    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        segments: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, ProviderError> {
        let act = self.act(Method::GET, self.url(segments, query), ActBody::Empty);
        let mut waits = Waits::default();
        loop {
            let failure = match self.model.send(&act).await {
                Err(failure) => failure,
                Ok(response) => match self.read(response).await {
                    Err(error) if error.kind == ProviderErrorKind::Connection => ActFailure::lost(error),
                    read => return read,
                },
            };
            waits.wait(self, failure).await?;
        }
    }

    pub(super) async fn post_empty(&self, segments: &[&str]) -> Result<(), ProviderError> {
        let act = self.act(Method::POST, self.url(segments, &[]), ActBody::Json("{}".into()));
        self.perform(&act).await.map(drop)
    }

    pub(super) async fn delete_at(&self, segments: &[&str]) -> Result<(), ProviderError> {
        let act = self.act(Method::DELETE, self.url(segments, &[]), ActBody::Empty);
        self.perform(&act).await.map(drop)
    }

    /// Reads an answer of JSON.
    pub(super) async fn read<T: DeserializeOwned>(&self, response: Response) -> Result<T, ProviderError> {
        let whole = tokio::time::timeout(PATIENCE, Body::new(response).whole(MAX_ANSWER));
        let body = whole.await.map_err(|_| self.stalled())?.map_err(|error| self.broken(&error))?;
        let text = String::from_utf8_lossy(&body);
        read_json(&text).map_err(|error| {
            let shown: String = text.chars().take(200).collect();
            self.model
                .wrong_answer(&format!("The provider sent an answer that is not the JSON expected ({error}): {shown}"))
        })
    }

    /// The next piece of an answer, which may be of any length.
    pub(super) async fn piece(&self, body: &mut Body) -> Result<Option<Bytes>, ProviderError> {
        let piece = tokio::time::timeout(PATIENCE, body.chunk()).await.map_err(|_| self.stalled())?;
        piece.map_err(|error| self.broken(&error))
    }

    fn stalled(&self) -> ProviderError {
        self.lost(&format!("nothing arrived within {} s", PATIENCE.as_secs()))
    }

    fn broken(&self, error: &BodyError) -> ProviderError {
        match error {
            BodyError::Lost(cause) => self.lost(&cause.to_string()),
            other => self.model.wrong_answer(&format!("The answer cannot be read: {other}")),
        }
    }

    fn lost(&self, cause: &str) -> ProviderError {
        let mut error = self.model.wrong_answer(&format!("The connection was lost while an answer was read: {cause}"));
        error.kind = ProviderErrorKind::Connection;
        error
    }
}

/// The waits of one act.
#[derive(Default)]
pub(super) struct Waits {
    attempts: u32,
    limited: u32,
}

impl Waits {
    /// Waits after a failure that may pass; other failures are returned.
    pub(super) async fn wait(&mut self, remote: &Remote, failure: ActFailure) -> Result<(), ProviderError> {
        let ActFailure { error, is_retryable, retry_after, code, .. } = failure;
        let is_limit =
            matches!(error.kind, ProviderErrorKind::RateLimit { .. }) || code.is_some_and(|code| is_queue_full(&code));
        if is_limit {
            self.limited += 1;
        } else {
            self.attempts += 1;
        }
        if !is_limit && (!is_retryable || self.attempts >= MAX_ATTEMPTS) {
            return Err(error);
        }
        let (context, model) = (&remote.model.context, &remote.model);
        let doubled = context.first_wait.saturating_mul(1 << (self.attempts + self.limited - 1).min(16));
        let wait = retry_after.unwrap_or_else(|| doubled.min(MAX_WAIT));
        let (provider, reason) = (model.provider.clone(), error.message);
        (context.on_event)(&match is_limit {
            true => ProviderEvent::Throttled { provider, wait, reason },
            false => ProviderEvent::Retry {
                provider,
                model: model.model_id.clone(),
                attempt: self.attempts,
                max_attempts: MAX_ATTEMPTS,
                wait,
                reason,
            },
        });
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

/// Whether the provider has too many requests of batches, by its own code, which messages begin with or contain.
pub(super) fn is_queue_full(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    code.contains("token_limit_exceeded") || code.contains("enqueued token limit")
}
