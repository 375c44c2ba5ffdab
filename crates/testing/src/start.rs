//! Settings that all engines of tests share.

use std::path::{Path, PathBuf};

/// The memory limit in bytes of an engine; several engines run at once.
pub(super) const MAX_MEMORY: usize = 512 << 20;

/// The hint for a tool call that needs approval.
pub(super) const IN_TEST: &str = "run(file, { approve: ['{name}'] }) of lmthing/test approves it";

pub(super) fn argv(file: &Path) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lmthing"));
    [program.display().to_string(), file.display().to_string()].to_vec()
}
