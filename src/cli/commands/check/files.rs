//! Finds the files to check: named files and the prompt files and eval files of folders, without tests
//! (docs/reference/check.md).

use std::path::PathBuf;

use crate::cli::failure::WrongUsage;
use lmthing_system::files::{self, FileKind};

#[derive(Debug, Default)]
pub(super) struct FilesToCheck {
    /// As typed, or below a folder as typed. Sorted, without duplicates.
    pub(super) files: Vec<PathBuf>,
    pub(super) folders: Vec<PathBuf>,
    pub(super) problems: Vec<String>,
}

/// Searches `paths`, or the working directory if there are none. Test files are included only if named.
pub(super) fn find(paths: &[PathBuf]) -> Result<FilesToCheck, WrongUsage> {
    let found = files::find(paths, "what a prompt file imports is checked with it")?;
    let files = found.files.into_iter().filter(|file| file.is_named || FileKind::of(&file.path) != FileKind::Tests);
    Ok(FilesToCheck { files: files.map(|file| file.path).collect(), folders: found.folders, problems: found.problems })
}
