//! Which files are served: those that are named, and prompt files in folders, tests never. Must not know what is in them.

use std::path::PathBuf;

use crate::{
    diagnostic::Diagnostic,
    files::{self, is_prompt_file, is_test_file},
};

/// What there is now.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Sorted, each once.
    pub(super) files: Vec<PathBuf>,
    /// Folders that could not be read.
    pub(super) problems: Vec<String>,
}

/// Finds what some paths name, for the first time.
///
/// # Errors
/// Why there is nothing to serve.
pub(super) fn find(paths: &[PathBuf]) -> Result<Found, Box<Diagnostic>> {
    if let Some(test) = paths.iter().find(|path| is_test_file(path) && path.is_file()) {
        let problem = Diagnostic::new(format!("{} holds tests, and is no prompt file to serve", test.display()));
        return Err(Box::new(problem.with_hint(format!("its tests are run by: lmthing test {}", test.display()))));
    }
    let found = served(files::find(paths, "a prompt file can be served, or a folder of them")?);
    if found.files.is_empty() {
        let places: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let problem = Diagnostic::new(format!("there is no prompt file in {}", places.join(", ")));
        return Err(Box::new(
            problem.with_hint(format!("the name of a prompt file ends in {}", files::PROMPT_FILE_SUFFIXES.join(", "))),
        ));
    }
    Ok(found)
}

/// The same later: what is gone is no mistake any more.
pub(super) fn find_again(paths: &[PathBuf]) -> Found {
    let is_there = |path: &&PathBuf| path.is_dir() || is_prompt_file(path) && path.is_file();
    let there: Vec<PathBuf> = paths.iter().filter(is_there).cloned().collect();
    if there.is_empty() {
        return Found::default();
    }
    files::find(&there, "").map_or_else(|_| Found::default(), served)
}

fn served(found: files::FoundFiles) -> Found {
    let files = found.files.into_iter().map(|file| file.path).filter(|file| !is_test_file(file)).collect();
    Found { files, problems: found.problems }
}
