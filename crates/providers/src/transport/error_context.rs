//! Creates errors of a call.

use std::time::Duration;

use super::{body::BodyFailure, limits::Limits};
use crate::{
    ProviderError, ProviderErrorKind,
    error_kind::hint,
    error_text::{one_line, truncated},
    redact::Redactor,
};

const MAX_REDACTED: usize = 8 << 10;

#[derive(Clone, Debug)]
pub(super) struct ErrorContext {
    pub provider: String,
    pub model: String,
    pub key_variable: Option<String>,
    pub redactor: Redactor,
}

impl ErrorContext {
    /// An error with the hint for its kind. The message may come from a server, and is made one harmless line.
    pub(super) fn error(&self, kind: ProviderErrorKind, message: &str, status: Option<u16>) -> ProviderError {
        let hint = hint(&kind, self.key_variable.as_deref());
        let line = one_line(message);
        let message = truncated(self.redactor.apply(&line[..line.floor_char_boundary(MAX_REDACTED)]));
        let mut error = ProviderError::new(kind, &*self.provider, &*self.model, message);
        error.status = status;
        error.hint = hint;
        error
    }

    pub(super) fn timeout(&self, what: &str, limit: Duration, setting: &str) -> ProviderError {
        let seconds = limit.as_secs_f64();
        let message = format!("The provider {what} within {seconds} s (options.timeout.{setting}).");
        self.error(ProviderErrorKind::Timeout, &message, None)
    }

    pub(super) fn body(&self, failure: &BodyFailure, limits: &Limits) -> ProviderError {
        match failure {
            BodyFailure::Lost(cause) => {
                let message = format!("The connection was lost while the answer was streaming: {cause}");
                self.error(ProviderErrorKind::Connection, &message, None)
            }
            BodyFailure::TooLarge(words) => self.error(ProviderErrorKind::Protocol, words, None),
            BodyFailure::Idle => self.timeout("sent nothing", limits.idle, "idle"),
            BodyFailure::Total => self.timeout("did not finish its answer", limits.total, "total"),
        }
    }
}
