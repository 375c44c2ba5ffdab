//! Keys and tokens in headers.

use super::request::AuthFailure;
use crate::provider::ProviderErrorKind;

/// How a key goes into a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `authorization: Bearer …`
    Bearer,
    /// As it is, in the header of this name.
    Plain(&'static str),
}

/// A key that goes into a header.
pub(crate) struct KeyAuth {
    pub header: KeyHeader,
    /// `None` is reported when the first request is due.
    pub key: Option<String>,
    /// `OpenAI`, as it stands in the message about a missing key.
    pub vendor: String,
    /// The variable that would hold the key.
    pub variable: String,
    /// Where a key can be had.
    pub get_one_at: Option<&'static str>,
}

impl KeyAuth {
    pub(super) fn header(&self) -> Result<(String, String), AuthFailure> {
        let Some(key) = &self.key else {
            let (vendor, variable) = (&self.vendor, &self.variable);
            return Err(AuthFailure {
                kind: ProviderErrorKind::Configuration,
                message: format!(
                    "{vendor} API key is missing. Pass it using the 'apiKey' parameter or the {variable} environment \
                     variable."
                ),
                hint: self.get_one_at.map(|place| format!("Get a key at {place}.")),
            });
        };
        Ok(match self.header {
            KeyHeader::Bearer => bearer(key),
            // A key that was copied often brings a line break along.
            KeyHeader::Plain(name) => (name.to_owned(), key.trim().to_owned()),
        })
    }
}

/// The header of an OAuth token, and of keys that are sent like one.
pub(super) fn bearer(token: &str) -> (String, String) {
    ("authorization".to_owned(), format!("Bearer {}", token.trim()))
}
