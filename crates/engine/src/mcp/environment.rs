//! The parts of a run that its connections depend on.

use std::path::PathBuf;

use lmthing_base::permission::FileRights;
use lmthing_system::http::Network;

pub(crate) type Variable = Box<dyn Fn(&str) -> Option<String>>;

/// What connections need from the run.
pub struct McpEnvironment {
    pub supervisor: PathBuf,
    /// The file permissions of server programs; `None` for no restrictions.
    pub rights: Box<dyn Fn() -> Option<FileRights>>,
    /// The variables of the run that servers may get.
    pub variable: Variable,
    pub network: Box<dyn Fn() -> Network>,
}
