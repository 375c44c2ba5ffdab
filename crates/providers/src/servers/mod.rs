//! What a run has learned about servers: request limits and refused parameters. Runs on several threads may share it.

mod limiter;
mod pace;
mod rate_limit_headers;

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use super::{
    local::KnownServers,
    refused_parameters::{ParameterLocation, RefusedParameter},
};

pub(super) use limiter::{Limiter, Permit};
pub(super) use rate_limit_headers::{MAX_PAUSE, announced_pause};

#[derive(Debug, Default)]
pub struct Servers {
    limiters: Mutex<HashMap<(String, u64), Arc<Limiter>>>,
    refused: Mutex<Vec<(Scope, RefusedParameter)>>,
    pub(super) local: KnownServers,
}

#[derive(Clone, Debug, PartialEq)]
struct Scope {
    base_url: String,
    model: Option<String>,
}

impl Servers {
    /// The limiter for a server and an account. Only a hash of the account's secrets is stored.
    pub(super) fn limiter(&self, base_url: &str, account: impl IntoIterator<Item = String>) -> Arc<Limiter> {
        let mut hasher = DefaultHasher::new();
        account.into_iter().for_each(|secret| secret.hash(&mut hasher));
        locked(&self.limiters).entry((base_url.to_owned(), hasher.finish())).or_default().clone()
    }

    pub(super) fn remember_refused(&self, base_url: &str, model: &str, refused: RefusedParameter) -> bool {
        // Usage options, cache marks and `strict` depend on the server, other settings on the model.
        let of_server = matches!(refused.location, ParameterLocation::CacheMarks(_) | ParameterLocation::Strict)
            || refused.is("stream_options");
        let entry = (Scope { base_url: base_url.to_owned(), model: (!of_server).then(|| model.to_owned()) }, refused);
        let mut known = locked(&self.refused);
        let new = !known.contains(&entry);
        if new {
            known.push(entry);
        }
        new
    }

    /// Whether the server has refused the marks of a prompt cache.
    pub(super) fn refuses_cache_marks(&self, base_url: &str) -> bool {
        let is_mark = |refused: &RefusedParameter| matches!(refused.location, ParameterLocation::CacheMarks(_));
        locked(&self.refused).iter().any(|(scope, refused)| scope.base_url == base_url && is_mark(refused))
    }

    pub(super) fn remove_refused(&self, base_url: &str, model: &str, body: &mut Value) {
        for (scope, refused) in locked(&self.refused).iter() {
            if scope.base_url == base_url && scope.model.as_deref().is_none_or(|refusing| refusing == model) {
                refused.apply(body);
            }
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
