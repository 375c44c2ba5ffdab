//! What is to be authorised, and why that can fail.

use crate::provider::ProviderErrorKind;

/// Why no headers could be made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AuthFailure {
    pub kind: ProviderErrorKind,
    pub message: String,
    pub hint: Option<String>,
}

impl AuthFailure {
    /// Credentials that are there and were refused, or cannot be read.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        AuthFailure { kind: ProviderErrorKind::Authentication, message: message.into(), hint: None }
    }

    /// Settings that are missing or contradict each other.
    pub(super) fn configuration(message: impl Into<String>) -> Self {
        AuthFailure { kind: ProviderErrorKind::Configuration, message: message.into(), hint: None }
    }

    /// What should have been there after a wait and is not.
    pub(super) fn lost() -> Self {
        AuthFailure::refused("The credentials expired while they were waited for.")
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The request that is to be authorised.
pub(crate) struct Unauthorised<'a> {
    pub url: &'a reqwest::Url,
    pub body: &'a [u8],
}
