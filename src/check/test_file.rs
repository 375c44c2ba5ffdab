//! Which files hold tests of prompt files. Must not know what is in them.

use std::path::Path;

/// Whether a file holds tests of prompt files, by its name, and is none itself.
pub(crate) fn is_test_file(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.rsplit_once(".lmt.").is_some_and(|(stem, _)| stem.ends_with(".test"))
}
