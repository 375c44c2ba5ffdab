//! Finds prompt files by path and in folders (docs/reference/check.md), except for ignored, hidden and package files.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use ignore::WalkBuilder;

use super::{PROMPT_FILE_SUFFIXES, is_prompt_file, unsaved::is_source_file};
use lmthing_base::diagnostic::{Diagnostic, did_you_mean};

#[derive(Debug, Default)]
pub struct FoundFiles {
    /// Prompt files including test files; sorted, without duplicates.
    pub files: Vec<FoundPromptFile>,
    pub folders: Vec<PathBuf>,
    pub problems: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundPromptFile {
    /// The path as given, or below a folder as given.
    pub path: PathBuf,
    /// Whether a path names the file itself, not only its folder.
    pub is_named: bool,
}

/// Finds the prompt files of some paths, or of the working directory. `hint` is for a file that is not a prompt file.
///
/// # Errors
/// A path does not exist, or is a file but not a prompt file.
pub fn find(paths: &[PathBuf], hint: &str) -> Result<FoundFiles, Box<Diagnostic>> {
    let mut found = FoundFiles::default();
    let here = [PathBuf::from(".")];
    for path in if paths.is_empty() { &here[..] } else { paths } {
        if path.is_dir() {
            found.search(path);
        } else {
            check_named(path, hint)?;
            found.files.push(FoundPromptFile { path: path.clone(), is_named: true });
        }
    }
    found.sort();
    Ok(found)
}

pub(super) fn below(folder: &Path) -> FoundFiles {
    let mut found = FoundFiles::default();
    found.search(folder);
    found.sort();
    found
}

fn check_named(path: &Path, hint: &str) -> Result<(), Box<Diagnostic>> {
    let shown = path.display();
    if !path.exists() && !is_source_file(path) {
        let message = format!("there is no file or folder {shown}");
        let problem = Diagnostic::new(message);
        return Err(Box::new(match did_you_mean(path, can_be_named) {
            Some(hint) => problem.with_hint(hint),
            None => problem,
        }));
    }
    if !is_prompt_file(path) {
        let message = format!("{shown} is not a prompt file: its name must end in {}", PROMPT_FILE_SUFFIXES.join(", "));
        let hint = did_you_mean(path, can_be_named).unwrap_or_else(|| hint.to_owned());
        return Err(Box::new(Diagnostic::new(message).with_hint(hint)));
    }
    Ok(())
}

fn can_be_named(path: &Path) -> bool {
    is_prompt_file(path) || path.is_dir()
}

impl FoundFiles {
    fn search(&mut self, folder: &Path) {
        let mut walk = WalkBuilder::new(folder);
        // A `.gitignore` also counts outside a repository.
        walk.require_git(false).filter_entry(|entry| entry.depth() == 0 || entry.file_name() != "node_modules");
        for entry in walk.build() {
            match entry {
                Ok(entry) => {
                    // Paths in the working directory omit `./`.
                    let here = if folder == Path::new(".") { "./" } else { "" };
                    let path = entry.path().strip_prefix(here).unwrap_or(entry.path());
                    if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                        self.folders.push(if path.as_os_str().is_empty() { folder } else { path }.to_owned());
                    } else if is_prompt_file(path) && path.is_file() {
                        self.files.push(FoundPromptFile { path: path.to_owned(), is_named: false });
                    }
                }
                Err(error) => self.problems.push(error.to_string()),
            }
        }
    }

    fn sort(&mut self) {
        self.files.sort();
        let mut known: HashMap<PathBuf, bool> = HashMap::new();
        let real = |file: &FoundPromptFile| fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
        for file in &self.files {
            *known.entry(real(file)).or_default() |= file.is_named;
        }
        // A file counts as named under any of its paths.
        self.files.retain_mut(|file| match known.remove(&real(file)) {
            Some(is_named) => {
                file.is_named = is_named;
                true
            }
            None => false,
        });
    }
}
