//! Keys of AWS, and requests signed with them.
//!
//! Owns: keys that are given go first and cost nothing; else `chain` asks the AWS crates, of which nothing is known outside
//! of it and `connector`. Must not know: Bedrock's requests.

mod chain;
mod connector;
mod failure;
mod files;
mod profile;
pub(super) mod sign;

use std::{rc::Rc, time::SystemTime};

use super::{
    ask::Asker,
    kept::{Kept, Places},
    request::{AuthFailure, Unauthorised},
};
use crate::provider::Env;
use failure::missing;
use profile::Profile;
pub(super) use profile::named_paths;
use sign::{Keys, Signable, sign};

thread_local! {
    static PLACES: Places<Keys> = Places::new();
}

/// Keys and region; missing keys are reported when the first request is due.
pub(crate) struct AwsAuth {
    given: Given,
    region: String,
}

enum Given {
    Keys(Keys),
    /// An id without its secret, or the other way round.
    Half,
    Nothing {
        asker: Asker,
        kept: Rc<Kept<Keys>>,
    },
}

impl AwsAuth {
    /// Signs with the keys that are given, else with those the environment leads to.
    pub(crate) fn new(
        env: Rc<dyn Env>,
        region: String,
        id: Option<String>,
        secret: Option<String>,
        token: Option<String>,
    ) -> Self {
        let given = match (id, secret) {
            (Some(id), Some(secret)) => Given::Keys(Keys { id, secret, token }),
            (None, None) => {
                let kept = PLACES.with(|places| places.place(&*env, &["AWS_"], &region));
                Given::Nothing { asker: Asker::new(env, kept.secrets().clone()), kept }
            }
            _ => Given::Half,
        };
        AwsAuth { given, region }
    }

    /// Whether there are keys of the user's own, whole or not.
    pub(super) fn is_given(&self) -> bool {
        !matches!(self.given, Given::Nothing { .. })
    }

    pub(super) fn has_keys(&self) -> bool {
        matches!(self.given, Given::Keys(_))
    }

    pub(super) async fn headers(&self, request: &Unauthorised<'_>) -> Result<Vec<(String, String)>, AuthFailure> {
        let keys = match &self.given {
            Given::Keys(keys) => keys.clone(),
            Given::Half => return Err(missing()),
            Given::Nothing { asker, kept } => kept.get(|| chain::fetch(asker, &self.region)).await?,
        };
        // The service is not called `bedrock-runtime`, which is the host's name.
        let (region, service) = (self.region.as_str(), "bedrock");
        let signable = Signable { url: request.url, headers: &[], body: request.body, region, service };
        sign(&keys, &signable, SystemTime::now())
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        match &self.given {
            Given::Keys(Keys { id, secret, token }) => {
                [Some(secret), token.as_ref(), Some(id)].into_iter().flatten().cloned().collect()
            }
            Given::Half => Vec::new(),
            Given::Nothing { kept, .. } => kept.secrets().all(),
        }
    }

    pub(super) fn key_variable(&self) -> &'static str {
        match self.given {
            Given::Nothing { .. } => "AWS_PROFILE",
            _ => "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        }
    }
}

/// The region of the profile that is meant.
pub(crate) fn profile_region(env: &dyn Env) -> Option<String> {
    Profile::read(env).region()
}

/// Whether the environment leads to keys. The role of an instance shows when it is asked for.
pub(super) fn is_set_up(env: &dyn Env) -> bool {
    let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
    let containers = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"];
    let web_identity = set("AWS_WEB_IDENTITY_TOKEN_FILE") && set("AWS_ROLE_ARN");
    web_identity || containers.iter().any(|name| set(name)) || Profile::read(env).has_keys()
}
