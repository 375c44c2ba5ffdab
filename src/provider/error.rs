//! What can go wrong with a model call, named for what the caller does next.

use std::time::Duration;

use thiserror::Error;

/// A failed model call. No text of it holds a key once it has left the room: `redact::guard` sees to that.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{message}")]
pub struct ProviderError {
    /// What the caller can do about it.
    pub kind: ProviderErrorKind,
    /// One clear sentence: what failed, in the provider's own words where there are any.
    pub message: String,
    /// The provider's name; empty when none was reached.
    pub provider: String,
    /// The model's id at the provider; empty when it does not matter.
    pub model: String,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// How to fix it, when there is something the user can do.
    pub hint: Option<String>,
}

/// The classes of failure a caller tells apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderErrorKind {
    /// No such provider or alias, or a setting is missing; found before any request.
    Configuration,
    /// The key is missing, wrong or not allowed to do this (401, 403).
    Authentication,
    /// Too many requests or the service is overloaded (429, 529); `retry_after` is the provider's wish.
    RateLimit {
        /// How long the provider wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The account has no credit or quota left, until somebody pays (402, `insufficient_quota`).
    Billing,
    /// The conversation is longer than the model takes.
    ContextLength,
    /// The provider refused the content.
    ContentFilter,
    /// The request is wrong in another way (other 4xx).
    BadRequest,
    /// The provider failed (5xx).
    Server,
    /// No connection, TLS failure, connection lost.
    Connection,
    /// One of the timeouts of `options.timeout` passed.
    Timeout,
    /// The answer is not what the protocol says: malformed JSON, truncated stream, wrong content type.
    Protocol,
    /// The provider reported a failure inside the stream.
    Stream,
    /// A replayed run asked something that is not in the recording, or a test a model that it must not ask.
    Replay,
}

impl ProviderErrorKind {
    /// The kind's name, as recordings and traces have it.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            ProviderErrorKind::Configuration => "configuration",
            ProviderErrorKind::Authentication => "authentication",
            ProviderErrorKind::RateLimit { .. } => "rate-limit",
            ProviderErrorKind::Billing => "billing",
            ProviderErrorKind::ContextLength => "context-length",
            ProviderErrorKind::ContentFilter => "content-filter",
            ProviderErrorKind::BadRequest => "bad-request",
            ProviderErrorKind::Server => "server",
            ProviderErrorKind::Connection => "connection",
            ProviderErrorKind::Timeout => "timeout",
            ProviderErrorKind::Protocol => "protocol",
            ProviderErrorKind::Stream => "stream",
            ProviderErrorKind::Replay => "replay",
        }
    }

    /// The kind of this name; an unknown one is a failure inside the stream.
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "configuration" => ProviderErrorKind::Configuration,
            "authentication" => ProviderErrorKind::Authentication,
            "rate-limit" => ProviderErrorKind::RateLimit { retry_after: None },
            "billing" => ProviderErrorKind::Billing,
            "context-length" => ProviderErrorKind::ContextLength,
            "content-filter" => ProviderErrorKind::ContentFilter,
            "bad-request" => ProviderErrorKind::BadRequest,
            "server" => ProviderErrorKind::Server,
            "connection" => ProviderErrorKind::Connection,
            "timeout" => ProviderErrorKind::Timeout,
            "protocol" => ProviderErrorKind::Protocol,
            "replay" => ProviderErrorKind::Replay,
            // A recording may have been made by a later lmthing, which knows more kinds.
            _ => ProviderErrorKind::Stream,
        }
    }
}

impl ProviderError {
    /// An error without status or hint.
    pub(crate) fn new(
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
        }
    }

    /// Adds advice on how to fix it.
    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
