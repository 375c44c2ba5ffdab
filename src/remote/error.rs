//! What went wrong with a server, in words. Never has a token in it.

use crate::diagnostic::Diagnostic;

/// Why something could not be asked, or was refused.
#[derive(Clone, Debug)]
pub(crate) struct RemoteError {
    /// What went wrong.
    pub(crate) message: String,
    /// How to mend it.
    pub(crate) hint: Option<String>,
    /// Whether the service, the handler or the address is to blame that was typed.
    pub(crate) is_usage: bool,
}

impl RemoteError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        RemoteError { message: message.into(), hint: None, is_usage: false }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        RemoteError { hint: Some(hint.into()), ..self }
    }

    /// What was typed is to blame.
    pub(super) fn usage(self) -> Self {
        RemoteError { is_usage: true, ..self }
    }
}

impl From<RemoteError> for Diagnostic {
    fn from(error: RemoteError) -> Self {
        Diagnostic { hint: error.hint, ..Diagnostic::new(error.message) }
    }
}
