//! A model that replaces the file's own in several runs on several threads.

use crate::bindings::ModelChoice;
use lmthing_providers::MockItem;

#[derive(Clone, Debug)]
pub enum SharedModel {
    Named(String),
    /// Mock items and where they were read from.
    Mock(Vec<MockItem>, String),
}

impl SharedModel {
    pub fn choice(&self) -> ModelChoice {
        match self {
            SharedModel::Named(name) => ModelChoice::Named(name.clone()),
            SharedModel::Mock(items, place) => ModelChoice::Mock { items: items.clone(), place: place.clone() },
        }
    }

    pub fn name(&self) -> &str {
        match self {
            SharedModel::Named(name) => name,
            SharedModel::Mock(_, place) => place,
        }
    }
}
