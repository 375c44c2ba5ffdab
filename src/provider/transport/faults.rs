//! Words for what goes wrong on the way.

use std::time::Duration;

use super::{body::BodyFailure, limits::Limits};
use crate::provider::{
    ProviderError, ProviderErrorKind,
    failure::hint,
    redact::Redactor,
    words::{one_line, shortened},
};

/// More of a message is not looked at for secrets; far less is shown.
const LONGEST_MESSAGE: usize = 8 << 10;

/// Makes errors that name the model and hold no secret.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    pub provider: String,
    pub model: String,
    pub key_variable: Option<String>,
    pub redactor: Redactor,
}

impl Faults {
    /// An error with the advice that goes with its kind. The message may hold a server's own words: it becomes one
    /// harmless line.
    pub(super) fn error(&self, kind: ProviderErrorKind, message: &str, status: Option<u16>) -> ProviderError {
        let hint = hint(&kind, self.key_variable.as_deref());
        let line = one_line(message);
        let message = shortened(self.redactor.apply(&line[..line.floor_char_boundary(LONGEST_MESSAGE)]));
        let mut error = ProviderError::new(kind, &*self.provider, &*self.model, message);
        error.status = status;
        error.hint = hint;
        error
    }

    /// The error of a limit that has passed; it names the setting, so that it can be raised.
    pub(super) fn timeout(&self, what: &str, limit: Duration, setting: &str) -> ProviderError {
        let seconds = limit.as_secs_f64();
        let message = format!("The provider {what} within {seconds} s (options.timeout.{setting}).");
        self.error(ProviderErrorKind::Timeout, &message, None)
    }

    /// Words for bytes that stopped coming.
    pub(super) fn body(&self, failure: &BodyFailure, limits: &Limits) -> ProviderError {
        match failure {
            BodyFailure::Lost(cause) => {
                let message = format!("The connection was lost while the answer was streaming: {cause}");
                self.error(ProviderErrorKind::Connection, &message, None)
            }
            BodyFailure::TooMuch(words) => self.error(ProviderErrorKind::Protocol, words, None),
            BodyFailure::Idle => self.timeout("sent nothing", limits.idle, "idle"),
            BodyFailure::Total => self.timeout("did not finish its answer", limits.total, "total"),
        }
    }
}
