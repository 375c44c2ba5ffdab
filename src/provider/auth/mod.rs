//! Authentication: the headers that go on top of a request.

pub(super) mod aws;
pub(super) mod google;

use std::fmt;

use super::ProviderErrorKind;

/// How a provider wants to be convinced.
pub(crate) enum Auth {
    /// A key in a header.
    Key(KeyAuth),
    /// AWS signature version 4.
    Aws(aws::AwsAuth),
    /// An OAuth token from Google's credentials.
    Google(google::GoogleAuth),
}

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

impl Auth {
    /// The headers for a request.
    pub(crate) async fn headers(&self, request: &Unauthorised<'_>) -> Result<Vec<(String, String)>, AuthFailure> {
        match self {
            Auth::Key(key) => key.header().map(|header| vec![header]),
            Auth::Aws(aws) => aws.headers(request),
            Auth::Google(google) => google.token().await.map(|token| vec![bearer(&token)]),
        }
    }

    /// Every value that must not be shown.
    pub(crate) fn secrets(&self) -> Vec<String> {
        match self {
            // The key as it is typed, which is also what stands behind `Bearer`.
            Auth::Key(key) => key.key.iter().cloned().collect(),
            Auth::Aws(aws) => aws.secrets(),
            Auth::Google(google) => google.secrets(),
        }
    }

    /// The variable a user would look at when access is denied.
    pub(crate) fn key_variable(&self) -> Option<&str> {
        match self {
            Auth::Key(key) => Some(&key.variable),
            Auth::Aws(_) => Some("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
            Auth::Google(_) => Some("GOOGLE_APPLICATION_CREDENTIALS"),
        }
    }
}

impl KeyAuth {
    fn header(&self) -> Result<(String, String), AuthFailure> {
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
            KeyHeader::Plain(name) => (name.to_owned(), key.clone()),
        })
    }
}

fn bearer(token: &str) -> (String, String) {
    ("authorization".to_owned(), format!("Bearer {token}"))
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Auth::Key(_) => "Auth::Key",
            Auth::Aws(_) => "Auth::Aws",
            Auth::Google(_) => "Auth::Google",
        })
    }
}
