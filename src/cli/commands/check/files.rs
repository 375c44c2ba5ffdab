//! Which files are checked: those that are named, and the prompt files in folders (docs/command-line.md, "Checking"). Must not
//! know what is done with them.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use ignore::WalkBuilder;

use crate::{
    check::is_test_file,
    cli::{
        commands::prompt_file::{ENDINGS, is_prompt_file},
        failure::WrongUsage,
    },
    diagnostic::did_you_mean,
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

/// Finds the files of some paths; of the working directory when there is none.
///
/// # Errors
/// A path that is not there, or names a file that is no prompt file.
pub(super) fn find(paths: &[PathBuf]) -> Result<Found, WrongUsage> {
    let mut found = Found::default();
    let here = [PathBuf::from(".")];
    for path in if paths.is_empty() { &here[..] } else { paths } {
        if path.is_dir() {
            found.search(path);
        } else {
            found.files.push(named(path)?);
        }
    }
    found.files.sort();
    let mut seen = HashSet::new();
    found.files.retain(|file| seen.insert(fs::canonicalize(file).unwrap_or_else(|_| file.clone())));
    Ok(found)
}

/// A file that is named is checked, whatever else says that it should not be.
fn named(path: &Path) -> Result<PathBuf, WrongUsage> {
    let shown = path.display();
    if !path.exists() {
        let message = format!("there is no file or folder {shown}");
        return Err(match did_you_mean(path, can_be_checked) {
            Some(hint) => WrongUsage::new(message, hint),
            None => WrongUsage::plain(message),
        });
    }
    if !is_prompt_file(path) {
        let message = format!("{shown} is not a prompt file: its name must end in {}", ENDINGS.join(", "));
        let hint = "what a prompt file imports is checked with it";
        return Err(WrongUsage::new(message, did_you_mean(path, can_be_checked).unwrap_or_else(|| hint.to_owned())));
    }
    Ok(path.to_owned())
}

impl Found {
    /// Adds the prompt files below a folder, without what Git ignores, what packages bring, and tests.
    fn search(&mut self, folder: &Path) {
        let mut walk = WalkBuilder::new(folder);
        // A `.gitignore` counts before there is a repository.
        walk.require_git(false).filter_entry(|entry| entry.depth() == 0 || entry.file_name() != "node_modules");
        for entry in walk.build() {
            match entry {
                Ok(entry) => {
                    // The working directory need not be named.
                    let here = if folder == Path::new(".") { "./" } else { "" };
                    let path = entry.path().strip_prefix(here).unwrap_or(entry.path());
                    if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                        self.folders.push(if path.as_os_str().is_empty() { folder } else { path }.to_owned());
                    } else if is_prompt_file(path) && !is_test_file(path) && path.is_file() {
                        self.files.push(path.to_owned());
                    }
                }
                Err(error) => self.problems.push(error.to_string()),
            }
        }
    }
}

fn can_be_checked(path: &Path) -> bool {
    is_prompt_file(path) || path.is_dir()
}
