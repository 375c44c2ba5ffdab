//! What is to be authorised, and why that can fail.

use crate::provider::ProviderErrorKind;

/// Why no headers could be made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AuthFailure {
    pub kind: ProviderErrorKind,
    pub message: String,
    pub hint: Option<String>,
}

/// The request that is to be authorised.
pub(crate) struct Unauthorised<'a> {
    pub url: &'a reqwest::Url,
    pub body: &'a [u8],
}
