//! What is said of a journal that cannot be read or written.

use std::{io, path::Path};

use rusqlite::{Error, ErrorCode};

use crate::{checkpoint::StoreError, diagnostic::Diagnostic};

/// What is wrong with a journal, in one sentence that names the file.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct JournalError {
    /// The sentence.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// What was to be done with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Read,
    Write,
}

/// SQLite's number for a file that ends too early.
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

    /// It is something else than a journal.
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

    /// The system refused.
    pub(super) fn of_system(path: &Path, doing: Doing, error: &io::Error) -> Self {
        let what = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
            _ => error.to_string(),
        };
        JournalError::cannot(path, doing, &what)
    }

    pub(super) fn cannot(path: &Path, doing: Doing, what: &str) -> Self {
        let done = match doing {
            Doing::Read => "read",
            Doing::Write => "written",
        };
        JournalError::new(format!("the journal {} cannot be {done}: {what}", path.display()))
    }

    /// SQLite refused.
    pub(super) fn of_sqlite(path: &Path, doing: Doing, error: &Error) -> Self {
        let (failure, words) = match error {
            Error::SqliteFailure(failure, words) => (failure, words),
            Error::StatementChangedRows(_) => {
                return JournalError::cannot(path, doing, "another process has taken over the run");
            }
            // A value that is of another kind, or not there.
            _ => return JournalError::damaged(path, &error.to_string()),
        };
        let words = words.clone().unwrap_or_else(|| failure.to_string());
        match failure.code {
            ErrorCode::NotADatabase => JournalError::no_journal(path, "it is not a SQLite database"),
            ErrorCode::DatabaseCorrupt => JournalError::damaged(path, &words),
            ErrorCode::SystemIoFailure if failure.extended_code == SHORT_READ => {
                JournalError::damaged(path, "it ends too early")
            }
            ErrorCode::DiskFull => JournalError::cannot(path, doing, "the disk is full"),
            ErrorCode::SystemIoFailure if doing == Doing::Write => {
                JournalError::cannot(path, doing, &format!("{words}; the disk may be full"))
            }
            ErrorCode::ReadOnly => JournalError::cannot(path, doing, "it is read-only"),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                JournalError::cannot(path, doing, "another process keeps it locked")
            }
            // A table or a column is not there.
            ErrorCode::Unknown => JournalError::damaged(path, &words),
            _ => JournalError::cannot(path, doing, &words),
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
