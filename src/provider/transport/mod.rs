//! Models behind HTTP: a wire format, an address and a way to authenticate make a [`LanguageModel`].
//!
//! Owns: sending, retries, timeouts, redaction, and turning the answer's bytes into parts. Must not know: any
//! provider's JSON (that is `wire`'s).

mod answer;
mod attempt;
mod body;
mod retry;
mod wish;

use std::{collections::BTreeMap, fmt, time::Duration};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use tokio::time::Instant;

use super::{
    LanguageModel, PartStream, ProviderContext, ProviderError, ProviderErrorKind,
    auth::Auth,
    failure::hint,
    redact::{Redactor, names_a_secret},
    wire::WireFormat,
};
use crate::chat::{CallSettings, ModelRequest, Timeouts};

/// What makes up a model behind HTTP.
pub(super) struct HttpModel {
    pub(super) provider: String,
    pub(super) model_id: String,
    pub(super) wire: Box<dyn WireFormat>,
    /// Without a trailing slash.
    pub(super) base_url: String,
    pub(super) auth: Auth,
    /// Headers from the provider's settings.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) context: ProviderContext,
}

/// The limits of one call, with the defaults filled in.
#[derive(Clone, Copy, Debug)]
struct Limits {
    total: Duration,
    first_byte: Duration,
    idle: Duration,
    /// When the whole call is over.
    deadline: Instant,
}

impl Limits {
    fn new(timeouts: Timeouts) -> Self {
        let total = timeouts.total.unwrap_or(Duration::from_secs(600));
        Limits {
            total,
            first_byte: timeouts.first_byte.unwrap_or(Duration::from_secs(120)),
            idle: timeouts.idle.unwrap_or(Duration::from_secs(60)),
            // A limit beyond what the clock can say is no limit.
            deadline: Instant::now()
                .checked_add(total)
                .unwrap_or_else(|| Instant::now() + Duration::from_secs(86_400 * 365)),
        }
    }
}

/// Makes errors that name the model and hold no secret.
#[derive(Clone, Debug)]
struct Faults {
    provider: String,
    model: String,
    key_variable: Option<String>,
    redactor: Redactor,
}

impl Faults {
    fn error(&self, kind: ProviderErrorKind, message: &str, status: Option<u16>) -> ProviderError {
        let hint = hint(&kind, self.key_variable.as_deref());
        let mut error = ProviderError::new(kind, &*self.provider, &*self.model, self.redactor.apply(message));
        error.status = status;
        error.hint = hint;
        error
    }

    fn timeout(&self, what: &str, limit: Duration, setting: &str) -> ProviderError {
        let seconds = limit.as_secs_f64();
        let message = format!("The provider {what} within {seconds} s (options.timeout.{setting}).");
        self.error(ProviderErrorKind::Timeout, &message, None)
    }
}

impl HttpModel {
    fn faults(&self, settings: &CallSettings) -> Faults {
        let headers = self.headers.iter().chain(&settings.headers);
        let secrets = headers.filter(|(name, _)| names_a_secret(name)).map(|(_, value)| value.clone());
        // A server may repeat the key without the word in front of it.
        let bare = secrets.flat_map(|value| {
            let bare = value.strip_prefix("Bearer ").map(str::to_owned);
            [Some(value), bare].into_iter().flatten()
        });
        Faults {
            provider: self.provider.clone(),
            model: self.model_id.clone(),
            key_variable: self.auth.key_variable().map(str::to_owned),
            redactor: Redactor::new(self.auth.secrets().into_iter().chain(bare)),
        }
    }

    async fn call(&self, request: ModelRequest) -> Result<PartStream<'_>, ProviderError> {
        let faults = self.faults(&request.settings);
        let mut encoded = self
            .wire
            .encode(&request, &self.model_id)
            .map_err(|message| faults.error(ProviderErrorKind::BadRequest, &message, None))?;
        // Numbers come from JavaScript, where 1 and 1.0 are one: what is sent should not tell them apart.
        super::wire::values::normalize_numbers(&mut encoded.body);
        let limits = Limits::new(request.settings.timeouts);
        let prepared = attempt::Prepared::new(self, encoded, &request.settings, limits, faults)?;
        let answer = match tokio::time::timeout_at(limits.deadline, retry::run(self, &prepared)).await {
            Ok(answer) => answer?,
            Err(_) => return Err(prepared.faults.timeout("did not answer", limits.total, "total")),
        };
        // Boxed: the state moves into and out of every step of the stream.
        let answer = Box::new(answer);
        let parts = stream::unfold(answer, |mut answer| async move { answer.next().await.map(|part| (part, answer)) });
        Ok(parts.boxed_local())
    }
}

impl LanguageModel for HttpModel {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        self.call(request).boxed_local()
    }
}

impl fmt::Debug for HttpModel {
    // Headers may hold keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel")
            .field("provider", &self.provider)
            .field("model_id", &self.model_id)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
