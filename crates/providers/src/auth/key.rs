//! API keys in headers.

use super::request::AuthFailure;
use crate::ProviderErrorKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHeader {
    Bearer,
    Plain(&'static str),
}

pub struct KeyAuth {
    pub header: KeyHeader,
    pub key: Option<String>,
    pub vendor: String,
    pub variable: String,
    pub key_page: Option<&'static str>,
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
                hint: self.key_page.map(|place| format!("Get a key at {place}.")),
            });
        };
        Ok(match self.header {
            KeyHeader::Bearer => bearer(key),
            KeyHeader::Plain(name) => (name.to_owned(), key.trim().to_owned()),
        })
    }
}

pub(super) fn bearer(token: &str) -> (String, String) {
    ("authorization".to_owned(), format!("Bearer {}", token.trim()))
}
