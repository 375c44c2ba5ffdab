//! What the run has learned of the servers it asks: how many requests they take, and which parameters they refuse.
//!
//! Owns: one gate for each server and account (`gate`), the limits servers announce (`announced`), the memory of refused
//! parameters. Must not know: how requests are sent, retries. It lives as long as the run and is shared by all models of it.

mod announced;
mod gate;

use std::{
    cell::RefCell,
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    rc::Rc,
};

use serde_json::Value;

use super::unsupported::{Place, RefusedParameter};

pub(super) use announced::{LONGEST_PAUSE, announced};
pub(super) use gate::{Gate, Pass};

/// What is known of the servers of a run.
#[derive(Default)]
pub(crate) struct Servers {
    gates: RefCell<HashMap<(String, u64), Rc<Gate>>>,
    refused: RefCell<Vec<(Scope, RefusedParameter)>>,
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
    pub(super) fn gate(&self, base_url: &str, account: impl IntoIterator<Item = String>) -> Rc<Gate> {
        let mut hasher = DefaultHasher::new();
        account.into_iter().for_each(|secret| secret.hash(&mut hasher));
        self.gates.borrow_mut().entry((base_url.to_owned(), hasher.finish())).or_default().clone()
    }

    /// Keeps in mind what a server refused; `false` when it was known.
    pub(super) fn remember(&self, base_url: &str, model: &str, refused: RefusedParameter) -> bool {
        // Questions and marks are the server's business, settings the model's.
        let of_server = matches!(refused.place, Place::CacheMarks(_) | Place::Strict) || refused.is("stream_options");
        let entry = (Scope { base_url: base_url.to_owned(), model: (!of_server).then(|| model.to_owned()) }, refused);
        let mut known = self.refused.borrow_mut();
        let new = !known.contains(&entry);
        if new {
            known.push(entry);
        }
        new
    }

    /// Takes out of a body what is known to be refused.
    pub(super) fn spare(&self, base_url: &str, model: &str, body: &mut Value) {
        for (scope, refused) in self.refused.borrow().iter() {
            if scope.base_url == base_url && scope.model.as_deref().is_none_or(|refusing| refusing == model) {
                refused.apply(body);
            }
        }
    }
}
