//! How much of one kind of access was granted, and the refusal of the rest.

use serde::{Deserialize, Serialize};

use super::AccessDenied;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grant<T> {
    All,
    /// Nothing, if the list is empty.
    Only(Vec<T>),
}

impl<T> Default for Grant<T> {
    fn default() -> Self {
        Grant::Only(Vec::new())
    }
}

impl<T> Grant<T> {
    pub(super) fn has(&self, predicate: impl FnMut(&T) -> bool) -> bool {
        match self {
            Grant::All => true,
            Grant::Only(list) => list.iter().any(predicate),
        }
    }

    pub(super) fn listed(&self) -> &[T] {
        match self {
            Grant::All => &[],
            Grant::Only(list) => list,
        }
    }
}

/// The refusal names the option that would allow the access.
pub(super) fn refusal(what: &str, option: &str) -> AccessDenied {
    AccessDenied { message: format!("{what} is not allowed: the prompt file is restricted; run it with {option}") }
}
