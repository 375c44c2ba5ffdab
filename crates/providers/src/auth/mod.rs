//! Authentication: keys, signatures and tokens in headers of requests.

pub(super) mod aws;
pub(super) mod azure;
mod credential_cache;
pub(super) mod google;
mod key;
mod request;
mod sources;
mod token_client;
mod token_response;

use std::{fmt, path::PathBuf, rc::Rc};

pub(super) use key::{KeyAuth, KeyHeader};
pub(super) use request::{AuthFailure, UnsignedRequest};
pub(super) use sources::{locates_files as locates_credentials, variables as credential_variables};

use super::Env;
use key::bearer;

pub enum Auth {
    Key(KeyAuth),
    Aws(aws::AwsAuth),
    Google(google::GoogleAuth),
    Azure(azure::AzureAuth),
}

impl Auth {
    pub async fn headers(&self, request: &UnsignedRequest<'_>) -> Result<Vec<(String, String)>, AuthFailure> {
        match self {
            Auth::Key(key) => key.header().map(|header| vec![header]),
            Auth::Aws(aws) => aws.headers(request).await,
            Auth::Google(google) => google.headers().await,
            Auth::Azure(azure) => azure.token().await.map(|token| vec![bearer(&token)]),
        }
    }

    /// Whether the user has configured credentials; those of the machine do not count.
    pub fn has_key(&self) -> bool {
        match self {
            Auth::Key(key) => key.key.as_ref().is_some_and(|key| !key.is_empty()),
            Auth::Aws(aws) => aws.is_given(),
            Auth::Google(_) | Auth::Azure(_) => false,
        }
    }

    /// Whether all credentials are given explicitly, so that neither files nor servers are needed.
    pub fn is_given(&self) -> bool {
        match self {
            Auth::Key(key) => key.key.as_ref().is_some_and(|key| !key.trim().is_empty()),
            Auth::Aws(aws) => aws.has_keys(),
            Auth::Google(google) => google.has_credentials(),
            Auth::Azure(azure) => azure.has_token(),
        }
    }

    pub fn secrets(&self) -> Vec<String> {
        match self {
            Auth::Key(key) => key.key.iter().cloned().collect(),
            Auth::Aws(aws) => aws.secrets(),
            Auth::Google(google) => google.secrets(),
            Auth::Azure(azure) => azure.secrets(),
        }
    }

    pub fn key_variable(&self) -> Option<&str> {
        match self {
            Auth::Key(key) => Some(&key.variable),
            Auth::Aws(aws) => Some(aws.key_variable()),
            Auth::Google(_) => Some("GOOGLE_APPLICATION_CREDENTIALS"),
            Auth::Azure(azure) => Some(azure.key_variable()),
        }
    }
}

/// Whether credentials are available without the variables of the provider's row: from files, or from servers that
/// the environment names. Servers that only a request can find do not count.
pub(super) fn is_set_up(provider: &str, env: &Rc<dyn Env>) -> bool {
    match provider {
        "azure" => azure::is_set_up(&**env),
        "bedrock" => aws::is_set_up(&**env),
        "vertex" => google::is_set_up(env),
        _ => false,
    }
}

/// Whether a request may find credentials at a server of the machine, which nothing here shows.
pub(super) fn may_find_credentials(provider: &str) -> bool {
    matches!(provider, "azure" | "bedrock" | "vertex")
}

/// Every file and folder that credentials may be read from, existing or not, including files that credentials refer
/// to.
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
