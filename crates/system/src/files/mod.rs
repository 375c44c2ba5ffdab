//! Prompt files in folders: their names, searching for them, and watching them.

mod search;
mod unsaved;
mod watch;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use search::{FoundFiles, FoundPromptFile, find};
pub use unsaved::{
    is_source_file, read_source, read_source_text, real_path, set_unsaved_text, unsaved_path, unsaved_text,
    unsaved_texts,
};
pub use watch::{FileReport, FileReporter, FileUse, FileWatcher, ReportedFile, RunWatcher};

/// The suffixes of prompt files, including test files.
pub const PROMPT_FILE_SUFFIXES: [&str; 4] = [".lmt.mjs", ".lmt.js", ".lmt.ts", ".lmt.mts"];

/// Whether a file has the name of a prompt file; test files count.
pub fn is_prompt_file(path: &Path) -> bool {
    let name = name(path);
    PROMPT_FILE_SUFFIXES.iter().any(|ending| name.ends_with(ending))
}

pub fn is_test_file(path: &Path) -> bool {
    name(path).rsplit_once(".lmt.").is_some_and(|(stem, _)| stem.ends_with(".test"))
}

pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The message of an error, without the error number.
pub fn io_error_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}
