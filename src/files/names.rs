//! Which files are prompt files, and which hold tests of them, by their names; names from the root on. Must not know what is in them.

use std::path::{Path, PathBuf};

/// The endings of prompt files, of test files too.
pub(crate) const ENDINGS: [&str; 4] = [".lmt.mjs", ".lmt.js", ".lmt.ts", ".lmt.mts"];

/// Whether a file is called as prompt files are; a test file is as well.
pub(crate) fn is_prompt_file(path: &Path) -> bool {
    let name = name(path);
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a file holds tests of prompt files, by its name, and is none itself.
pub(crate) fn is_test_file(path: &Path) -> bool {
    name(path).rsplit_once(".lmt.").is_some_and(|(stem, _)| stem.ends_with(".test"))
}

/// A path from the root on. Where the working directory is gone, it stays as it is.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
