//! Errors of journals that cannot be read or written.

use std::{io, path::Path};

use rusqlite::{Error, ErrorCode};

use lmthing_base::{checkpoint::StoreError, diagnostic::Diagnostic};

/// An error with a journal, in one sentence that names the file.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct JournalError {
    pub message: String,
    pub hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenMode {
    Read,
    Write,
}

/// SQLite's extended code for a truncated file.
const SHORT_READ: i32 = 522;

impl JournalError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        JournalError { message: message.into(), hint: None }
    }

    #[must_use]
    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn no_journal(path: &Path, what: &str) -> Self {
        let message = format!("{} is no journal: {what}", path.display());
        JournalError::new(message).with_hint("name another file: --journal=PATH")
    }

    pub(super) fn newer(path: &Path, version: i64, known: i64) -> Self {
        let shown = path.display();
        let message = format!("the journal {shown} has format {version}, and this lmthing knows format {known}");
        JournalError::new(message).with_hint("update lmthing, or use another journal: --journal=PATH")
    }

    pub(super) fn damaged(path: &Path, what: &str) -> Self {
        let shown = path.display();
        let hint = "nothing in it was changed; move it away, and the next run begins a new one";
        JournalError::new(format!("the journal {shown} is damaged: {what}")).with_hint(hint)
    }

    pub(super) fn of_system(path: &Path, mode: OpenMode, error: &io::Error) -> Self {
        let what = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
            _ => error.to_string(),
        };
        JournalError::cannot(path, mode, &what)
    }

    pub(super) fn cannot(path: &Path, mode: OpenMode, what: &str) -> Self {
        let done = match mode {
            OpenMode::Read => "read",
            OpenMode::Write => "written",
        };
        JournalError::new(format!("the journal {} cannot be {done}: {what}", path.display()))
    }

    pub(super) fn without_thread(path: &Path, error: &io::Error) -> Self {
        JournalError::cannot(path, OpenMode::Write, &format!("no thread can be started: {error}"))
    }

    pub(super) fn of_sqlite(path: &Path, mode: OpenMode, error: &Error) -> Self {
        let (failure, text) = match error {
            Error::SqliteFailure(failure, text) => (failure, text),
            Error::StatementChangedRows(_) => {
                return JournalError::cannot(path, mode, "another process has taken over the run");
            }
            _ => return JournalError::damaged(path, &error.to_string()),
        };
        let text = text.clone().unwrap_or_else(|| failure.to_string());
        match failure.code {
            ErrorCode::NotADatabase => JournalError::no_journal(path, "it is not a SQLite database"),
            ErrorCode::DatabaseCorrupt => JournalError::damaged(path, &text),
            ErrorCode::SystemIoFailure if failure.extended_code == SHORT_READ => {
                JournalError::damaged(path, "it ends too early")
            }
            ErrorCode::DiskFull => JournalError::cannot(path, mode, "the disk is full"),
            ErrorCode::SystemIoFailure if mode == OpenMode::Write => {
                JournalError::cannot(path, mode, &format!("{text}; the disk may be full"))
            }
            ErrorCode::ReadOnly => JournalError::cannot(path, mode, "it is read-only"),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                JournalError::cannot(path, mode, "another process keeps it locked")
            }
            // A table or a column is missing.
            ErrorCode::Unknown => JournalError::damaged(path, &text),
            _ => JournalError::cannot(path, mode, &text),
        }
    }
}

impl From<JournalError> for Diagnostic {
    fn from(error: JournalError) -> Self {
        Diagnostic { hint: error.hint, ..Diagnostic::new(error.message) }
    }
}

impl From<JournalError> for StoreError {
    fn from(error: JournalError) -> Self {
        StoreError { message: error.message, hint: error.hint }
    }
}
