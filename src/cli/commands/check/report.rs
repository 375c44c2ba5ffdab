//! Telling whoever watches which files a check is made of (docs/command-line.md, "Watching"). Must not know who that is.

use std::{fs::OpenOptions, io::Write, path::Path};

use super::files::Found;
use crate::cli::watched;

/// Reports the prompt files, and the folders in which new ones may appear.
pub(super) fn report(to: &Path, found: &Found) {
    let lines: String = found.files.iter().chain(&found.folders).map(|path| watched::reported(path)).collect();
    let file = OpenOptions::new().append(true).open(to);
    // Whoever watches will miss changes, no more.
    let _ = file.and_then(|mut file| file.write_all(lines.as_bytes()));
}
