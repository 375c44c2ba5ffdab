//! Errors of a Restate server. Messages contain no bearer token.

use lmthing_base::diagnostic::Diagnostic;

#[derive(Clone, Debug)]
pub struct RemoteError {
    pub message: String,
    pub hint: Option<String>,
    /// Whether an argument of the user is the cause: address, service or handler.
    pub is_usage: bool,
}

impl RemoteError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        RemoteError { message: message.into(), hint: None, is_usage: false }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        RemoteError { hint: Some(hint.into()), ..self }
    }

    pub(super) fn usage(self) -> Self {
        RemoteError { is_usage: true, ..self }
    }
}

impl From<RemoteError> for Diagnostic {
    fn from(error: RemoteError) -> Self {
        Diagnostic { hint: error.hint, ..Diagnostic::new(error.message) }
    }
}
