//! Creates and opens the journal's file, and refuses invalid ones.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, config::DbConfig};

use super::{
    contents,
    error::{JournalError, OpenMode},
    location::{check_is_private, create_folder},
    lock,
};

/// Pages of the write-ahead log after which it is checkpointed, which waits for the disk. The next process reads the log when it
/// opens the file: four times as many pages cost each run a millisecond.
const LOG_PAGES: i64 = 256;

/// The format version, stored in `PRAGMA user_version`.
const VERSION: i64 = 1;

/// Distinguishes journals from other databases: `lmtj`, stored in `PRAGMA application_id`.
const APPLICATION: i64 = 0x6c6d_746a;

const SCHEMA: &str = include_str!("schema.sql");

const STATEMENTS: usize = 16;

pub struct Journal {
    pub(super) connection: Connection,
    path: PathBuf,
    mode: OpenMode,
    /// Device and inode, to detect a replaced file, where the system has them.
    identity: Option<(u64, u64)>,
}

impl Journal {
    /// Opens a journal for writing; creates it if it does not exist.
    ///
    /// # Errors
    /// The file cannot be written or is not a journal. It is unchanged then.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        create_folder(path)?;
        create_file(path).map_err(|error| JournalError::of_system(path, OpenMode::Write, &error))?;
        Journal::open(path)
    }

    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let journal = Journal::connect(path, OpenMode::Write)?;
        if journal.checked_version()? == 0 {
            journal.create_tables()?;
        }
        // Journals of earlier versions do not have it.
        journal.check(journal.connection.execute_batch(contents::TABLE))?;
        journal.check(journal.connection.pragma_update(None, "synchronous", "NORMAL"))?;
        journal.check(journal.connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES))?;
        Ok(journal)
    }

    /// Opens an existing journal to resume a run from it.
    ///
    /// # Errors
    /// As for [`Journal::open`], or another user may have changed the file.
    pub fn open_trusted(path: &Path) -> Result<Self, JournalError> {
        // The file that was checked, not what a link leads to afterwards. A missing one is reported by `open`.
        match path.canonicalize() {
            Ok(real) => check_is_private(path, &real).and_then(|()| Journal::open(&real)),
            Err(_) => Journal::open(path),
        }
    }

    pub fn read(path: &Path) -> Result<Self, JournalError> {
        let journal = Journal::connect(path, OpenMode::Read)?;
        match journal.checked_version()? {
            0 => Err(JournalError::no_journal(path, "it is empty")),
            _ => Ok(journal),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn connect(path: &Path, mode: OpenMode) -> Result<Self, JournalError> {
        check_header(path, mode)?;
        // Not as a URI, from which SQLite would take parameters.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&path, flags);
        let mut connection = opened.map_err(|error| JournalError::of_sqlite(&path, mode, &error))?;
        let can_wait = connection.busy_handler(Some(lock::wait));
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let journal = Journal { connection, identity: identity(&path), path, mode };
        journal.check(can_wait)?;
        // A checkpoint on close would wait for the disk, and would change a file that must stay unchanged.
        journal.check(journal.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))?;
        if mode == OpenMode::Write && journal.check(journal.connection.is_readonly("main"))? {
            return Err(JournalError::cannot(&journal.path, mode, "it is read-only"));
        }
        Ok(journal)
    }

    pub(super) fn check<T>(&self, done: rusqlite::Result<T>) -> Result<T, JournalError> {
        done.map_err(|error| JournalError::of_sqlite(&self.path, self.mode, &error))
    }

    /// Checks that the open file is still the one at the path, so that the next process will find it.
    pub(super) fn check_identity(&self) -> Result<(), JournalError> {
        if self.identity == identity(&self.path) {
            return Ok(());
        }
        Err(JournalError::cannot(&self.path, OpenMode::Write, "the file was taken away or replaced"))
    }

    /// The format version; 0 for an empty file.
    fn checked_version(&self) -> Result<i64, JournalError> {
        if self.check(self.number("user_version"))? == 0 && self.check(self.is_empty())? {
            return Ok(0);
        }
        // Read again: another process may have created the tables in between.
        match self.check(self.number("user_version"))? {
            0 => Err(foreign_database(&self.path)),
            _ if self.check(self.number("application_id"))? != APPLICATION => Err(foreign_database(&self.path)),
            VERSION => Ok(VERSION),
            version => Err(JournalError::newer(&self.path, version, VERSION)),
        }
    }

    fn number(&self, pragma: &str) -> rusqlite::Result<i64> {
        self.connection.pragma_query_value(None, pragma, |row| row.get(0))
    }

    fn is_empty(&self) -> rusqlite::Result<bool> {
        self.connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", (), |row| row.get(0))
    }

    /// Creates the tables in an empty file, unless another process has done so.
    fn create_tables(&self) -> Result<(), JournalError> {
        make_private(&self.path).map_err(|error| JournalError::of_system(&self.path, self.mode, &error))?;
        // In the main file instead of the log, because `check_header` reads its first bytes.
        let transaction = rusqlite::Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate);
        let transaction = self.check(transaction)?;
        if self.checked_version()? == 0 {
            self.check(transaction.execute_batch(SCHEMA))?;
            self.check(transaction.pragma_update(None, "application_id", APPLICATION))?;
            self.check(transaction.pragma_update(None, "user_version", VERSION))?;
        }
        self.check(transaction.commit())?;
        self.enable_wal()
    }

    /// Enables the write-ahead log, so that a process may be killed at any time and readers need not wait.
    fn enable_wal(&self) -> Result<(), JournalError> {
        // SQLite itself does not wait for other users of the file here.
        let mut attempts = 0..;
        loop {
            match self.connection.pragma_update(None, "journal_mode", "WAL") {
                Err(error) if is_busy(&error) && attempts.next().is_some_and(lock::wait) => {}
                done => return self.check(done),
            }
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn foreign_database(path: &Path) -> JournalError {
    JournalError::no_journal(path, "it is a database of another program")
}

/// Checks the first bytes: SQLite must not touch a file that is not a journal, or a newer one.
fn check_header(path: &Path, mode: OpenMode) -> Result<(), JournalError> {
    let bytes = header(path).map_err(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            return JournalError::of_system(path, mode, &error);
        }
        JournalError::new(format!("there is no journal {}: no such file", path.display()))
            .with_hint("`lmthing run --journal FILE` and `lmthing chat FILE` begin one; --journal=PATH names another")
    })?;
    let number = |at: usize| bytes.get(at..at + 4).map(|four| four.iter().fold(0, |n, byte| n << 8 | i64::from(*byte)));
    if bytes.is_empty() {
        return Ok(());
    }
    if !bytes.starts_with(b"SQLite format 3\0") {
        return Err(JournalError::no_journal(path, "it is not a SQLite database"));
    }
    match (number(68), number(60)) {
        (Some(APPLICATION), Some(version)) if version > VERSION => Err(JournalError::newer(path, version, VERSION)),
        // SQLite repairs an incomplete header.
        (Some(APPLICATION | 0), _) => Ok(()),
        (None, _) => Err(JournalError::damaged(path, "it ends too early")),
        _ => Err(foreign_database(path)),
    }
}

fn header(path: &Path) -> io::Result<Vec<u8>> {
    // Before it is opened, as opening a pipe would block. A folder cannot be read.
    match std::fs::metadata(path)?.file_type() {
        kind if kind.is_file() => {}
        kind if kind.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        _ => return Err(io::Error::other("it is not a regular file")),
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(100).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates the file, private to the user, before anything is in it. SQLite gives the files next to it the same permissions.
fn create_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Removes the permissions of other users from an existing empty file.
#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<(u64, u64)> {
    None
}
