//! Options that all runs of a worker share.

use std::{path::PathBuf, sync::Arc};

use lmthing_base::{
    cost::{Limits, OwnPrices},
    permission::{ApprovalRules, Permissions},
};
use lmthing_engine::session::SharedModel;
use lmthing_store::trace::otel::SharedExport;

#[derive(Clone)]
pub struct RunOptions {
    pub jobs: usize,
    pub journal: PathBuf,
    pub limits: Limits,
    pub own_prices: OwnPrices,
    pub variables: Vec<(String, String)>,
    pub permissions: Arc<dyn Fn(&std::path::Path) -> Permissions + Send + Sync>,
    pub mcp_config: Option<PathBuf>,
    pub model: Option<SharedModel>,
    pub export: Option<SharedExport>,
    /// Calls that are approved in advance; others wait for a decision.
    pub approve: ApprovalRules,
}
