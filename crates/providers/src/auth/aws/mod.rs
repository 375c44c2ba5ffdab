//! AWS keys, and requests signed with them. Explicit keys win; otherwise the AWS crates look for some.

mod chain;
mod connector;
mod failure;
mod files;
mod profile;
pub(super) mod sign;

use std::{rc::Rc, time::SystemTime};

use super::{
    credential_cache::{Caches, CredentialCache},
    request::{AuthFailure, UnsignedRequest},
    token_client::TokenClient,
};
use crate::Env;
use failure::missing;
use profile::Profile;
pub(super) use profile::named_paths;
use sign::{Keys, Signable, sign};

thread_local! {
    static CACHES: Caches<Keys> = Caches::new();
}

pub struct AwsAuth {
    source: KeySource,
    region: String,
}

enum KeySource {
    Keys(Keys),
    Incomplete,
    Environment { tokens: TokenClient, cache: Rc<CredentialCache<Keys>> },
}

impl AwsAuth {
    pub fn new(
        env: Rc<dyn Env>,
        region: String,
        id: Option<String>,
        secret: Option<String>,
        token: Option<String>,
    ) -> Self {
        let source = match (id, secret) {
            (Some(id), Some(secret)) => KeySource::Keys(Keys { id, secret, token }),
            (None, None) => {
                let cache = CACHES.with(|caches| caches.cache_for(&*env, &["AWS_"], &region));
                KeySource::Environment { tokens: TokenClient::new(env, cache.secrets().clone()), cache }
            }
            _ => KeySource::Incomplete,
        };
        AwsAuth { source, region }
    }

    pub(super) fn is_given(&self) -> bool {
        !matches!(self.source, KeySource::Environment { .. })
    }

    pub(super) fn has_keys(&self) -> bool {
        matches!(self.source, KeySource::Keys(_))
    }

    pub(super) async fn headers(&self, request: &UnsignedRequest<'_>) -> Result<Vec<(String, String)>, AuthFailure> {
        let keys = match &self.source {
            KeySource::Keys(keys) => keys.clone(),
            KeySource::Incomplete => return Err(missing()),
            KeySource::Environment { tokens, cache } => cache.get(|| chain::fetch(tokens, &self.region)).await?,
        };
        // The signed service name is `bedrock`, although the host is `bedrock-runtime`.
        let (region, service) = (self.region.as_str(), "bedrock");
        let signable = Signable { url: request.url, headers: &[], body: request.body, region, service };
        sign(&keys, &signable, SystemTime::now())
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        match &self.source {
            KeySource::Keys(Keys { id, secret, token }) => {
                [Some(secret), token.as_ref(), Some(id)].into_iter().flatten().cloned().collect()
            }
            KeySource::Incomplete => Vec::new(),
            KeySource::Environment { cache, .. } => cache.secrets().all(),
        }
    }

    pub(super) fn key_variable(&self) -> &'static str {
        match self.source {
            KeySource::Environment { .. } => "AWS_PROFILE",
            _ => "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        }
    }
}

pub(crate) fn profile_region(env: &dyn Env) -> Option<String> {
    Profile::read(env).region()
}

pub(super) fn is_set_up(env: &dyn Env) -> bool {
    let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
    let containers = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"];
    let web_identity = set("AWS_WEB_IDENTITY_TOKEN_FILE") && set("AWS_ROLE_ARN");
    web_identity || containers.iter().any(|name| set(name)) || Profile::read(env).has_keys()
}
