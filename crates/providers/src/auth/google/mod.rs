//! OAuth tokens from Google's application default credentials.
//!
//! Not based on `gcp_auth`, which cannot use our HTTP client and would add a second HTTP stack.

mod assertion;
mod aws_subject;
mod command;
mod credentials;
mod exchange;
mod federated;
mod impersonation;
mod subject;

use std::rc::Rc;

use serde_json::Value;

use super::{
    credential_cache::{Caches, CredentialCache, Expiring},
    key::bearer,
    request::AuthFailure,
    token_client::{Server, TokenClient, TokenRequestError},
};
use crate::Env;
pub(super) use credentials::named_paths;
use credentials::{find, text};

const METADATA: Server = Server { name: "The metadata server of Google Cloud", is_local: true };

const VARIABLE_PREFIXES: [&str; 4] = ["GOOGLE_", "CLOUDSDK_", "GCE_", "AWS_"];

thread_local! {
    static CACHES: Caches<AccessToken> = Caches::new();
}

pub struct GoogleAuth {
    tokens: TokenClient,
    credentials: Option<Value>,
    cache: Rc<CredentialCache<AccessToken>>,
}

#[derive(Clone)]
struct AccessToken {
    token: String,
    quota_project: Option<String>,
}

impl GoogleAuth {
    pub fn new(env: Rc<dyn Env>, credentials: Option<Value>) -> Self {
        let settings = credentials.as_ref().map(Value::to_string).unwrap_or_default();
        let cache = CACHES.with(|caches| caches.cache_for(&*env, &VARIABLE_PREFIXES, &settings));
        let tokens = TokenClient::new(env, cache.secrets().clone());
        GoogleAuth { tokens, credentials, cache }
    }

    pub(super) fn has_credentials(&self) -> bool {
        self.credentials.is_some()
    }

    pub(super) async fn headers(&self) -> Result<Vec<(String, String)>, AuthFailure> {
        let access_token = self.cache.get(|| self.fetch()).await?;
        let project = self.tokens.variable("GOOGLE_CLOUD_QUOTA_PROJECT").or(access_token.quota_project);
        let project = project.map(|project| ("x-goog-user-project".to_owned(), project));
        Ok(std::iter::once(bearer(&access_token.token)).chain(project).collect())
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        self.cache.secrets().all()
    }

    async fn fetch(&self) -> Result<Expiring<AccessToken>, AuthFailure> {
        let credentials = find(&self.tokens, self.credentials.as_ref())?;
        let token = match &credentials {
            Some(credentials) => exchange::exchange(&self.tokens, credentials).await?,
            None => metadata_token(&self.tokens).await?,
        };
        let quota_project = credentials.as_ref().and_then(|credentials| text(credentials, "quota_project_id"));
        Ok(token.map(|token| AccessToken { token, quota_project }))
    }
}

pub(crate) fn project(env: &Rc<dyn Env>, credentials: Option<&Value>) -> Option<String> {
    let tokens = TokenClient::new(env.clone(), Default::default());
    text(&find(&tokens, credentials).ok()??, "project_id")
}

pub(crate) fn is_set_up(env: &Rc<dyn Env>) -> bool {
    let tokens = TokenClient::new(env.clone(), Default::default());
    let has_project = |credentials: &Value| {
        tokens.variable("GOOGLE_CLOUD_PROJECT").or_else(|| text(credentials, "project_id")).is_some()
    };
    find(&tokens, None).ok().flatten().as_ref().is_some_and(has_project)
}

async fn metadata_token(tokens: &TokenClient) -> Result<Expiring<String>, AuthFailure> {
    let host = tokens.variable("GCE_METADATA_HOST");
    let is_named = host.is_some();
    // The fixed IP address, as the name may not resolve outside Google's network.
    let host = host.unwrap_or_else(|| "169.254.169.254".to_owned());
    let url = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
    let answer = tokens.send(METADATA, |client| client.get(&url).header("metadata-flavor", "Google")).await;
    match answer {
        // Metadata servers of other clouds do not know this path.
        Err(TokenRequestError::Refused { .. }) if !is_named => Err(no_credentials()),
        Err(TokenRequestError::Unreachable(_)) if !is_named => Err(no_credentials()),
        answer => tokens.token(METADATA, answer),
    }
}

fn no_credentials() -> AuthFailure {
    AuthFailure::refused(
        "Could not load the default credentials. Browse to \
         https://cloud.google.com/docs/authentication/getting-started for more information.",
    )
    .with_hint(
        "Set GOOGLE_APPLICATION_CREDENTIALS to a credentials file (service account, workload identity), run gcloud auth \
         application-default login, or run on a machine of Google Cloud. Or set GOOGLE_VERTEX_API_KEY.",
    )
}
