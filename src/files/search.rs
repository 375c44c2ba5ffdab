//! Prompt files that are named, and those in folders (docs/command-line.md, "Checking", "Tests"): what Git ignores, what packages
//! bring and what is hidden is left out. Must not know what is done with them.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use ignore::WalkBuilder;

use super::names::{ENDINGS, is_prompt_file};
use crate::diagnostic::{Diagnostic, did_you_mean};

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The prompt files, test files too; sorted, each once.
    pub(crate) files: Vec<FoundFile>,
    /// The folders that were looked through.
    pub(crate) folders: Vec<PathBuf>,
    /// Folders that could not be read.
    pub(crate) problems: Vec<String>,
}

/// A prompt file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FoundFile {
    /// As it was typed, or below a folder as that was typed.
    pub(crate) path: PathBuf,
    /// Whether it was named itself: then it is wanted, whatever says that it should not be.
    pub(crate) is_named: bool,
}

/// Finds the files of some paths; of the working directory when there is none. `hint` is for a file that is no prompt file.
///
/// # Errors
/// A path that is not there, or names a file that is no prompt file.
pub(crate) fn find(paths: &[PathBuf], hint: &str) -> Result<Found, Box<Diagnostic>> {
    let mut found = Found::default();
    let here = [PathBuf::from(".")];
    for path in if paths.is_empty() { &here[..] } else { paths } {
        if path.is_dir() {
            found.search(path);
        } else {
            check_named(path, hint)?;
            found.files.push(FoundFile { path: path.clone(), is_named: true });
        }
    }
    found.sort();
    Ok(found)
}

/// All prompt files below a folder.
pub(crate) fn below(folder: &Path) -> Found {
    let mut found = Found::default();
    found.search(folder);
    found.sort();
    found
}

fn check_named(path: &Path, hint: &str) -> Result<(), Box<Diagnostic>> {
    let shown = path.display();
    if !path.exists() {
        let message = format!("there is no file or folder {shown}");
        let problem = Diagnostic::new(message);
        return Err(Box::new(match did_you_mean(path, can_be_named) {
            Some(hint) => problem.with_hint(hint),
            None => problem,
        }));
    }
    if !is_prompt_file(path) {
        let message = format!("{shown} is not a prompt file: its name must end in {}", ENDINGS.join(", "));
        let hint = did_you_mean(path, can_be_named).unwrap_or_else(|| hint.to_owned());
        return Err(Box::new(Diagnostic::new(message).with_hint(hint)));
    }
    Ok(())
}

fn can_be_named(path: &Path) -> bool {
    is_prompt_file(path) || path.is_dir()
}

impl Found {
    /// Adds the prompt files below a folder.
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
                    } else if is_prompt_file(path) && path.is_file() {
                        self.files.push(FoundFile { path: path.to_owned(), is_named: false });
                    }
                }
                Err(error) => self.problems.push(error.to_string()),
            }
        }
    }

    fn sort(&mut self) {
        self.files.sort();
        let mut known: HashMap<PathBuf, bool> = HashMap::new();
        let real = |file: &FoundFile| fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
        for file in &self.files {
            *known.entry(real(file)).or_default() |= file.is_named;
        }
        // Named once is named, under whichever name it comes first.
        self.files.retain_mut(|file| match known.remove(&real(file)) {
            Some(is_named) => {
                file.is_named = is_named;
                true
            }
            None => false,
        });
    }
}
