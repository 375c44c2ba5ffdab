//! The definitions that are hidden on the coming steps (docs/reference/prompt.md).

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::kind::Group;

pub(super) type Key = (Group, String);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Hidden {
    // Sorted, so that equal sets are serialized equally.
    once: BTreeSet<Key>,
    /// Hidden by a function that runs only once, such as an agent's callback.
    always: BTreeSet<Key>,
}

impl Hidden {
    pub(super) fn add(&mut self, key: Key) {
        self.once.insert(key);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.once.is_empty() && self.always.is_empty()
    }

    pub(super) fn keep(&mut self) {
        self.always.extend(std::mem::take(&mut self.once));
    }

    /// The hidden definitions of one step; resets those hidden once.
    pub(super) fn take(&mut self) -> HashSet<Key> {
        std::mem::take(&mut self.once).into_iter().chain(self.always.iter().cloned()).collect()
    }
}
