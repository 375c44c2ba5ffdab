//! Finds the files to serve: named files and the prompt files of folders, without tests and evals.

use std::path::PathBuf;

use lmthing_base::diagnostic::Diagnostic;
use lmthing_system::files::{self, FileKind, is_prompt_file};

#[derive(Debug, Default, PartialEq)]
pub(super) struct FoundFiles {
    pub(super) files: Vec<PathBuf>,
    pub(super) problems: Vec<String>,
}

/// The first search. Fails if a path does not exist or there is no prompt file.
pub(super) fn find(paths: &[PathBuf]) -> Result<FoundFiles, Box<Diagnostic>> {
    if let Some(problem) =
        paths.iter().filter(|path| path.is_file()).find_map(|path| FileKind::refusal(path, "to serve"))
    {
        return Err(Box::new(problem));
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

/// A later search: paths that have disappeared are skipped.
pub(super) fn find_again(paths: &[PathBuf]) -> FoundFiles {
    let is_there = |path: &&PathBuf| path.is_dir() || is_prompt_file(path) && path.is_file();
    let there: Vec<PathBuf> = paths.iter().filter(is_there).cloned().collect();
    if there.is_empty() {
        return FoundFiles::default();
    }
    files::find(&there, "").map_or_else(|_| FoundFiles::default(), served)
}

fn served(found: files::FoundFiles) -> FoundFiles {
    let files =
        found.files.into_iter().map(|file| file.path).filter(|file| FileKind::of(file) == FileKind::Prompt).collect();
    FoundFiles { files, problems: found.problems }
}
