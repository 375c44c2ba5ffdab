//! What the run has learned of the servers it asks: how many requests they take, and which parameters they refuse.
//!
//! Owns: one gate for each server and account (`gate`), the limits servers announce (`announced`), the memory of refused
//! parameters. Must not know: how requests are sent, retries. It lives as long as the run and is shared by all models of it; runs on
//! several threads may share it as well.

mod announced;
mod gate;

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use super::unsupported::{Place, RefusedParameter};

pub(super) use announced::{LONGEST_PAUSE, announced};
pub(super) use gate::{Gate, Pass};

/// What is known of the servers of a run.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    gates: Mutex<HashMap<(String, u64), Arc<Gate>>>,
    refused: Mutex<Vec<(Scope, RefusedParameter)>>,
}

/// Where a refusal holds.
#[derive(Clone, Debug, PartialEq)]
struct Scope {
    base_url: String,
    /// `None` for what the server does not know with any model.
    model: Option<String>,
}

impl Servers {
    /// The gate of a server for one account; the secrets that stand for the account are not kept.
    pub(super) fn gate(&self, base_url: &str, account: impl IntoIterator<Item = String>) -> Arc<Gate> {
        let mut hasher = DefaultHasher::new();
        account.into_iter().for_each(|secret| secret.hash(&mut hasher));
        locked(&self.gates).entry((base_url.to_owned(), hasher.finish())).or_default().clone()
    }

    /// Keeps in mind what a server refused; `false` when it was known.
    pub(super) fn remember(&self, base_url: &str, model: &str, refused: RefusedParameter) -> bool {
        // Questions and marks are the server's business, settings the model's.
        let of_server = matches!(refused.place, Place::CacheMarks(_) | Place::Strict) || refused.is("stream_options");
        let entry = (Scope { base_url: base_url.to_owned(), model: (!of_server).then(|| model.to_owned()) }, refused);
        let mut known = locked(&self.refused);
        let new = !known.contains(&entry);
        if new {
            known.push(entry);
        }
        new
    }

    /// Takes out of a body what is known to be refused.
    pub(super) fn spare(&self, base_url: &str, model: &str, body: &mut Value) {
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
