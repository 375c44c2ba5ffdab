//! Authentication: the headers that go on top of a request.
//!
//! Owns: keys, signatures, tokens, and every way to come by them. Must not know: what the request is for.

mod ask;
pub(super) mod aws;
pub(super) mod azure;
pub(super) mod google;
mod kept;
mod key;
mod request;
mod sources;
mod token;

use std::{fmt, path::PathBuf, rc::Rc};

pub(super) use key::{KeyAuth, KeyHeader};
pub(super) use request::{AuthFailure, Unauthorised};
pub(super) use sources::{leads_to_files as leads_to_credentials, variables as credential_variables};

use super::Env;
use key::bearer;

/// How a provider wants to be convinced.
pub(crate) enum Auth {
    /// A key in a header.
    Key(KeyAuth),
    /// AWS signature version 4.
    Aws(aws::AwsAuth),
    /// An OAuth token from Google's credentials.
    Google(google::GoogleAuth),
    /// An OAuth token of Microsoft Entra ID.
    Azure(azure::AzureAuth),
}

impl Auth {
    /// The headers for a request.
    pub(crate) async fn headers(&self, request: &Unauthorised<'_>) -> Result<Vec<(String, String)>, AuthFailure> {
        match self {
            Auth::Key(key) => key.header().map(|header| vec![header]),
            Auth::Aws(aws) => aws.headers(request).await,
            Auth::Google(google) => google.headers().await,
            Auth::Azure(azure) => azure.token().await.map(|token| vec![bearer(&token)]),
        }
    }

    /// Whether the user has given what to authorise with; what the machine itself may have does not count.
    pub(crate) fn has_key(&self) -> bool {
        match self {
            Auth::Key(key) => key.key.as_ref().is_some_and(|key| !key.is_empty()),
            Auth::Aws(aws) => aws.is_given(),
            Auth::Google(_) | Auth::Azure(_) => false,
        }
    }

    /// Whether everything to authorise with is given, so that neither files nor the machine are asked.
    pub(crate) fn is_given(&self) -> bool {
        match self {
            Auth::Key(key) => key.key.as_ref().is_some_and(|key| !key.trim().is_empty()),
            Auth::Aws(aws) => aws.has_keys(),
            Auth::Google(google) => google.has_credentials(),
            Auth::Azure(azure) => azure.has_token(),
        }
    }

    /// Every value that must not be shown.
    pub(crate) fn secrets(&self) -> Vec<String> {
        match self {
            // The key as it is typed, which is also what stands behind `Bearer`.
            Auth::Key(key) => key.key.iter().cloned().collect(),
            Auth::Aws(aws) => aws.secrets(),
            Auth::Google(google) => google.secrets(),
            Auth::Azure(azure) => azure.secrets(),
        }
    }

    /// The variable a user would look at when access is denied.
    pub(crate) fn key_variable(&self) -> Option<&str> {
        match self {
            Auth::Key(key) => Some(&key.variable),
            Auth::Aws(aws) => Some(aws.key_variable()),
            Auth::Google(_) => Some("GOOGLE_APPLICATION_CREDENTIALS"),
            Auth::Azure(azure) => Some(azure.key_variable()),
        }
    }
}

/// Whether a provider's credentials can be had without any of the variables of its row: from files, or from servers that
/// the environment names. What only a request would show does not count.
pub(super) fn is_set_up(provider: &str, env: &Rc<dyn Env>) -> bool {
    match provider {
        "azure" => azure::is_set_up(&**env),
        "bedrock" => aws::is_set_up(&**env),
        "vertex" => google::is_set_up(env),
        _ => false,
    }
}

/// Every file and folder that credentials may come from, whether there is something or not, with those that credentials name.
pub(super) fn credential_paths(env: &dyn Env) -> Vec<PathBuf> {
    [sources::paths(env), aws::named_paths(env), google::named_paths(env)].concat()
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Auth::Key(_) => "Auth::Key",
            Auth::Aws(_) => "Auth::Aws",
            Auth::Google(_) => "Auth::Google",
            Auth::Azure(_) => "Auth::Azure",
        })
    }
}
