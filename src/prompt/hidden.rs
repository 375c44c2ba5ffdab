//! What is hidden on the steps to come (docs/reference.md, "References"). Must not know what is defined: a name may be
//! hidden that is not there any more.

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::kind::Group;

/// A definition by name space and name.
pub(super) type Key = (Group, String);

/// What is hidden on the next step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Hidden {
    // Sorted, so that the same is written down in the same way.
    once: BTreeSet<Key>,
    /// By a body that runs only once, an agent's callback: nothing would hide these again.
    always: BTreeSet<Key>,
}

impl Hidden {
    /// Hides on the next step.
    pub(super) fn add(&mut self, key: Key) {
        self.once.insert(key);
    }

    /// Whether nothing is.
    pub(super) fn is_empty(&self) -> bool {
        self.once.is_empty() && self.always.is_empty()
    }

    /// What was hidden for the next step is hidden on every one.
    pub(super) fn keep(&mut self) {
        self.always.extend(std::mem::take(&mut self.once));
    }

    /// What holds for one step; what was hidden once is used up.
    pub(super) fn take(&mut self) -> HashSet<Key> {
        std::mem::take(&mut self.once).into_iter().chain(self.always.iter().cloned()).collect()
    }
}
