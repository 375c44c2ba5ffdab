//! What every engine of tests is started with. Must not know what runs in it.

use std::path::{Path, PathBuf};

/// Bytes that the scripts of an engine may use: several run at once.
pub(super) const MAX_MEMORY: usize = 512 << 20;

/// How a call that needs approval is approved in a test.
pub(super) const IN_TEST: &str = "run(file, { approve: ['{name}'] }) of lmthing/test approves it";

/// `process.argv`: the program and the file.
pub(super) fn argv(file: &Path) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lmthing"));
    [program.display().to_string(), file.display().to_string()].to_vec()
}
