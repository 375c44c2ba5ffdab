//! A model that several runs on several threads take in place of their file's own. Must not know what the runs are for.

use crate::{provider::MockItem, script::bindings::ModelChoice};

/// A model in place of the file's own, which goes from thread to thread.
#[derive(Clone, Debug)]
pub(crate) enum SharedModel {
    /// A model string.
    Named(String),
    /// Mock items, and where they are from.
    Mock(Vec<MockItem>, String),
}

impl SharedModel {
    /// The same for one run.
    pub(crate) fn choice(&self) -> ModelChoice {
        match self {
            SharedModel::Named(name) => ModelChoice::Named(name.clone()),
            SharedModel::Mock(items, place) => ModelChoice::Mock { items: items.clone(), place: place.clone() },
        }
    }

    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        match self {
            SharedModel::Named(name) => name,
            SharedModel::Mock(_, place) => place,
        }
    }
}
