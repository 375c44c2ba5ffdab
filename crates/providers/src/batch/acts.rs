//! Requests of a batch client, with waits and repetitions.

use std::{future::Future, time::Duration};

use reqwest::{Method, Response, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{BatchClient, RemoteId};
use crate::{
    ProviderError, ProviderErrorKind, ProviderEvent,
    transport::{Act, ActBody, ActFailure},
};
use lmthing_base::chat::read_json;
use lmthing_system::http::{Body, MAX_MESSAGE};

/// Attempts of an act that fails for another reason than a limit.
const MAX_ATTEMPTS: u32 = 5;

/// The longest wait that the server has not asked for.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(60);

/// How often a lost answer is looked up, as lists may be late.
const LOOKUPS: u32 = 2;

impl BatchClient {
    /// The URL of an endpoint next to that of a single request, from segments that may hold slashes only as `files/x`.
    pub(super) fn url(&self, segments: &[&str], query: &[(&str, &str)]) -> Url {
        let mut url = self.endpoint.clone();
        let path = self.target.path.split('?').next().unwrap_or_default();
        let base = url.path().strip_suffix(path).unwrap_or_else(|| self.version_root(url.path(), path)).to_owned();
        url.set_path(&base);
        if let Ok(mut all) = url.path_segments_mut() {
            all.pop_if_empty().extend(segments.iter().flat_map(|segment| segment.split('/')));
        }
        let kept: Vec<(String, String)> = url.query_pairs().into_owned().filter(|(name, _)| name != "alt").collect();
        url.set_query(None);
        if !kept.is_empty() || !query.is_empty() {
            url.query_pairs_mut().extend_pairs(kept).extend_pairs(query);
        }
        url
    }

    /// The base of a URL whose version was not repeated.
    fn version_root<'a>(&self, whole: &'a str, path: &str) -> &'a str {
        let rest = path.strip_prefix("/v1").unwrap_or(path);
        whole.strip_suffix(rest).unwrap_or(whole)
    }

    pub(super) fn act(&self, method: Method, url: Url, body: ActBody) -> Act {
        Act { method, url, headers: self.target.headers.clone(), body, is_authorised: true }
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

    /// Performs an act that must not be done twice: if its answer was lost, `find` looks for what it has done.
    pub(super) async fn perform_once<F: Future<Output = Result<Option<RemoteId>, ProviderError>>>(
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
                    Err(error) if error.kind == ProviderErrorKind::Connection => {
                        ActFailure { is_retryable: true, may_be_done: true, ..ActFailure::certain(error) }
                    }
                    Err(error) => return Err(error),
                },
                Err(failure) => failure,
            };
            let may_be_done = failure.may_be_done;
            let waited = waits.wait(self, failure).await;
            for lookup in 0..if may_be_done { LOOKUPS } else { 0 } {
                if lookup > 0 {
                    tokio::time::sleep(self.model.context.first_wait).await;
                }
                if let Some(id) = find().await? {
                    return Ok(id);
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
        let response = self.perform(&act).await?;
        self.read(response).await
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
        let body = Body::new(response).whole(MAX_MESSAGE).await.map_err(|error| self.lost(&error.to_string()))?;
        let text = String::from_utf8_lossy(&body);
        read_json(&text).map_err(|error| {
            let shown: String = text.chars().take(200).collect();
            self.model
                .wrong_answer(&format!("The provider sent an answer that is not the JSON expected ({error}): {shown}"))
        })
    }

    pub(super) fn lost(&self, cause: &str) -> ProviderError {
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
    pub(super) async fn wait(&mut self, client: &BatchClient, failure: ActFailure) -> Result<(), ProviderError> {
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
        let (context, model) = (&client.model.context, &client.model);
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
