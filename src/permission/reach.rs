//! How far a right goes, and the words where it ends. Must not know kinds of access.

use serde::{Deserialize, Serialize};

use super::Refusal;

/// How much of one kind of access was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reach<T> {
    /// Everything.
    All,
    /// Only this; nothing, where the list is empty.
    Only(Vec<T>),
}

impl<T> Default for Reach<T> {
    fn default() -> Self {
        Reach::Only(Vec::new())
    }
}

impl<T> Reach<T> {
    pub(super) fn has(&self, is_it: impl FnMut(&T) -> bool) -> bool {
        match self {
            Reach::All => true,
            Reach::Only(list) => list.iter().any(is_it),
        }
    }

    /// What was given one by one.
    pub(super) fn listed(&self) -> &[T] {
        match self {
            Reach::All => &[],
            Reach::Only(list) => list,
        }
    }
}

/// `lmthing run` names the option that would allow it.
pub(super) fn refusal(what: &str, option: &str) -> Refusal {
    Refusal { message: format!("{what} is not allowed: the prompt file is restricted; run it with {option}") }
}
