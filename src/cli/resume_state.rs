//! State of a resumed run that the output needs.

use std::{collections::HashMap, path::PathBuf};

use lmthing_base::{cost::RunUsage, event::RunSummary};
use lmthing_engine::session::used_before;

#[derive(Clone, Debug, Default)]
pub(super) struct ResumeState {
    pub(super) run: String,
    /// Numbers of its agents, by key.
    pub(super) agents: HashMap<String, u64>,
    /// Step at which it continues.
    pub(super) step: usize,
    pub(super) notice: String,
    pub(super) summary: RunSummary,
    pub(super) requests: usize,
    pub(super) journal: Option<PathBuf>,
    /// Text that was printed last, if nothing may be printed after it.
    pub(super) last_text: Option<String>,
}

impl ResumeState {
    pub(super) fn used(&self) -> RunUsage {
        used_before(&self.summary, self.requests)
    }
}
