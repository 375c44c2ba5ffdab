//! The input and the error of authentication.

use crate::ProviderErrorKind;

#[derive(Clone, Debug, PartialEq)]
pub struct AuthFailure {
    pub kind: ProviderErrorKind,
    pub message: String,
    pub hint: Option<String>,
}

impl AuthFailure {
    pub(super) fn refused(message: impl Into<String>) -> Self {
        AuthFailure { kind: ProviderErrorKind::Authentication, message: message.into(), hint: None }
    }

    pub(super) fn configuration(message: impl Into<String>) -> Self {
        AuthFailure { kind: ProviderErrorKind::Configuration, message: message.into(), hint: None }
    }

    pub(super) fn expired_while_waiting() -> Self {
        AuthFailure::refused("The credentials expired while they were waited for.")
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

pub struct UnsignedRequest<'a> {
    pub url: &'a reqwest::Url,
    pub body: &'a [u8],
}
