//! Errors of model calls, classified by what the caller does next.

use std::time::Duration;

use thiserror::Error;

/// A failed model call. `redact::guard` removes keys from its texts before it leaves this module.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct ProviderError {
    pub kind: ProviderErrorKind,
    pub message: String,
    pub provider: String,
    pub model: String,
    pub status: Option<u16>,
    pub hint: Option<String>,
    /// Whether the server says that it does not have the model.
    pub is_unknown_model: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderErrorKind {
    /// Unknown provider or alias, or a missing setting; found before any request.
    Configuration,
    /// The key is missing, wrong or lacks permission (401, 403).
    Authentication,
    /// Too many requests, or the service is overloaded (429, 529).
    RateLimit {
        retry_after: Option<Duration>,
    },
    /// The account has no credit or quota left (402, `insufficient_quota`).
    Billing,
    ContextLength,
    ContentFilter,
    /// Any other 4xx.
    BadRequest,
    /// The provider does not take a file of a message; found before any request.
    File,
    Server,
    Connection,
    /// A timeout of `options.timeout` expired.
    Timeout,
    /// The response violates the protocol: malformed JSON, truncated stream, wrong content type.
    Protocol,
    /// The provider reported a failure inside the stream.
    Stream,
    /// A request of a replayed run is not in the recording, or a test forbids the request.
    Replay,
}

impl ProviderErrorKind {
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            ProviderErrorKind::Configuration => "configuration",
            ProviderErrorKind::Authentication => "authentication",
            ProviderErrorKind::RateLimit { .. } => "rate-limit",
            ProviderErrorKind::Billing => "billing",
            ProviderErrorKind::ContextLength => "context-length",
            ProviderErrorKind::ContentFilter => "content-filter",
            ProviderErrorKind::BadRequest => "bad-request",
            ProviderErrorKind::File => "file",
            ProviderErrorKind::Server => "server",
            ProviderErrorKind::Connection => "connection",
            ProviderErrorKind::Timeout => "timeout",
            ProviderErrorKind::Protocol => "protocol",
            ProviderErrorKind::Stream => "stream",
            ProviderErrorKind::Replay => "replay",
        }
    }

    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "configuration" => ProviderErrorKind::Configuration,
            "authentication" => ProviderErrorKind::Authentication,
            "rate-limit" => ProviderErrorKind::RateLimit { retry_after: None },
            "billing" => ProviderErrorKind::Billing,
            "context-length" => ProviderErrorKind::ContextLength,
            "content-filter" => ProviderErrorKind::ContentFilter,
            "bad-request" => ProviderErrorKind::BadRequest,
            "file" => ProviderErrorKind::File,
            "server" => ProviderErrorKind::Server,
            "connection" => ProviderErrorKind::Connection,
            "timeout" => ProviderErrorKind::Timeout,
            "protocol" => ProviderErrorKind::Protocol,
            "replay" => ProviderErrorKind::Replay,
            // The recording may come from a later version that knows more kinds.
            _ => ProviderErrorKind::Stream,
        }
    }
}

impl ProviderError {
    pub fn new(
        kind: ProviderErrorKind,
        provider: impl Into<String>,
        model: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        ProviderError {
            kind,
            message: message.into(),
            provider: provider.into(),
            model: model.into(),
            status: None,
            hint: None,
            is_unknown_model: false,
        }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
