//! How runs of a worker are run. Must not know of invocations.

use std::{path::PathBuf, sync::Arc};

use crate::{
    cost::{Limits, OwnPrices},
    permission::{ApprovalRules, Permissions},
    session::SharedModel,
    trace::otel::SharedExport,
};

/// Everything that runs have in common.
#[derive(Clone)]
pub(crate) struct RunOptions {
    /// Runs at once, at most.
    pub(crate) jobs: usize,
    /// The journal of this machine.
    pub(crate) journal: PathBuf,
    /// What each run may use.
    pub(crate) limits: Limits,
    /// What models cost.
    pub(crate) own_prices: OwnPrices,
    /// The environment of each run.
    pub(crate) variables: Vec<(String, String)>,
    /// What a file may reach.
    pub(crate) permissions: Arc<dyn Fn(&std::path::Path) -> Permissions + Send + Sync>,
    /// The file that names servers.
    pub(crate) mcp_config: Option<PathBuf>,
    /// The model in place of the files' own.
    pub(crate) model: Option<SharedModel>,
    /// Where spans of runs go.
    pub(crate) export: Option<SharedExport>,
    /// Calls that are approved beforehand; others wait.
    pub(crate) approve: ApprovalRules,
}
