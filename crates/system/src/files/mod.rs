//! Prompt files in folders: their names, searching for them, and watching them.

mod kind;
mod search;
mod unsaved;
mod watch;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use kind::{FileKind, PROMPT_FILE_SUFFIXES, check_prompt_file, is_prompt_file};
pub use search::{FoundFiles, FoundPromptFile, find};
pub use unsaved::{
    is_source_file, read_source, read_source_text, real_path, set_unsaved_text, unsaved_path, unsaved_text,
    unsaved_texts,
};
pub use watch::{FileReport, FileReporter, FileUse, FileWatcher, ReportedFile, RunWatcher};

pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
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
