//! What earlier processes have done of a run that goes on, as far as it is shown. Must not know how it was kept.

use std::{collections::HashMap, path::PathBuf};

use crate::{cost::RunUsage, event::RunSummary, session::used_before};

/// What was done before this process.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    /// The name of the run.
    pub(super) run: String,
    /// The numbers of its agents, by their keys.
    pub(super) agents: HashMap<String, u64>,
    /// The step that it goes on at.
    pub(super) step: usize,
    /// The same in words.
    pub(super) notice: String,
    /// What it has come to.
    pub(super) summary: RunSummary,
    /// How many requests were answered.
    pub(super) requests: usize,
    /// The journal that was named for it.
    pub(super) journal: Option<PathBuf>,
    /// What was said last, if nothing may follow it.
    pub(super) said: Option<String>,
}

impl Before {
    /// What counts of it where the whole run is limited.
    pub(super) fn used(&self) -> RunUsage {
        used_before(&self.summary, self.requests)
    }
}
