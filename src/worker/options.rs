//! Options that all runs of a worker share.

use std::{path::PathBuf, sync::Arc};

use crate::{
    cost::{Limits, OwnPrices},
    permission::{ApprovalRules, Permissions},
    session::SharedModel,
    trace::otel::SharedExport,
};

#[derive(Clone)]
pub(crate) struct RunOptions {
    pub(crate) jobs: usize,
    pub(crate) journal: PathBuf,
    pub(crate) limits: Limits,
    pub(crate) own_prices: OwnPrices,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) permissions: Arc<dyn Fn(&std::path::Path) -> Permissions + Send + Sync>,
    pub(crate) mcp_config: Option<PathBuf>,
    pub(crate) model: Option<SharedModel>,
    pub(crate) export: Option<SharedExport>,
    /// Calls that are approved in advance; others wait for a decision.
    pub(crate) approve: ApprovalRules,
}
