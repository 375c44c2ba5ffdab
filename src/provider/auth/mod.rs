//! Authentication: the headers that go on top of a request.

pub(super) mod aws;
pub(super) mod google;
mod key;
mod request;

use std::fmt;

pub(super) use key::{KeyAuth, KeyHeader};
pub(super) use request::{AuthFailure, Unauthorised};

use key::bearer;

/// How a provider wants to be convinced.
pub(crate) enum Auth {
    /// A key in a header.
    Key(KeyAuth),
    /// AWS signature version 4.
    Aws(aws::AwsAuth),
    /// An OAuth token from Google's credentials.
    Google(google::GoogleAuth),
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

    /// Whether the user has given what to authorise with; what the machine itself may have does not count.
    pub(crate) fn has_key(&self) -> bool {
        match self {
            Auth::Key(key) => key.key.as_ref().is_some_and(|key| !key.is_empty()),
            Auth::Aws(aws) => aws.access_key_id.is_some(),
            Auth::Google(_) => false,
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

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Auth::Key(_) => "Auth::Key",
            Auth::Aws(_) => "Auth::Aws",
            Auth::Google(_) => "Auth::Google",
        })
    }
}
