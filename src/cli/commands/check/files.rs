//! Which files are checked: those that are named, and the prompt files in folders but tests (docs/command-line.md, "Checking").
//! Must not know what is done with them.

use std::path::PathBuf;

use crate::{
    cli::failure::WrongUsage,
    files::{self, is_test_file},
};

/// What there is to check.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The prompt files as they were typed, or below a folder as that was typed; sorted, each once.
    pub(super) files: Vec<PathBuf>,
    /// The folders that were looked through.
    pub(super) folders: Vec<PathBuf>,
    /// Folders that could not be read.
    pub(super) problems: Vec<String>,
}

/// Finds the files of some paths; of the working directory when there is none. A test file is checked when it is named.
///
/// # Errors
/// A path that is not there, or names a file that is no prompt file.
pub(super) fn find(paths: &[PathBuf]) -> Result<Found, WrongUsage> {
    let found = files::find(paths, "what a prompt file imports is checked with it")?;
    let files = found.files.into_iter().filter(|file| file.is_named || !is_test_file(&file.path));
    Ok(Found { files: files.map(|file| file.path).collect(), folders: found.folders, problems: found.problems })
}
