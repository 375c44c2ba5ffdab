//! The file: made, opened, and refused when it is not what it should be. Must not know what a run is.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, config::DbConfig};

use super::{
    error::{Doing, JournalError},
    place::{check_is_private, make_folder},
};

/// Pages of the log after which it is written back, which waits for the disk. The next process reads the log once when it
/// opens the file: four times as many cost each run a millisecond more.
const LOG_PAGES: i64 = 256;

/// The format that is written, as `PRAGMA user_version` has it.
const VERSION: i64 = 1;

/// Tells journals from databases of other programs: `lmtj`, as `PRAGMA application_id` has it.
const APPLICATION: i64 = 0x6c6d_746a;

const SCHEMA: &str = include_str!("schema.sql");

/// How long another process may keep the file locked. Writing takes less than a millisecond, forgetting runs longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many statements are kept ready.
const STATEMENTS: usize = 16;

/// A journal that is open.
pub(crate) struct Journal {
    pub(super) connection: Connection,
    path: PathBuf,
    doing: Doing,
    /// What tells the file from another one in its place, where the system says.
    identity: Option<(u64, u64)>,
}

impl Journal {
    /// Opens a journal to write in it; makes one where there is none.
    ///
    /// # Errors
    /// It cannot be written, or is something else. Nothing in it was changed then.
    pub(crate) fn create(path: &Path) -> Result<Self, JournalError> {
        make_folder(path)?;
        make_file(path).map_err(|error| JournalError::of_system(path, Doing::Write, &error))?;
        Journal::open(path)
    }

    /// Opens a journal that is there, to write in it.
    ///
    /// # Errors
    /// As above, or there is none.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let journal = Journal::connect(path, Doing::Write)?;
        if journal.checked_version()? == 0 {
            journal.lay_out()?;
        }
        journal.check(journal.connection.pragma_update(None, "synchronous", "NORMAL"))?;
        journal.check(journal.connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES))?;
        Ok(journal)
    }

    /// Opens a journal that is there, to go on with a run in it.
    ///
    /// # Errors
    /// As above, or another user may have written it.
    pub(crate) fn open_trusted(path: &Path) -> Result<Self, JournalError> {
        // The file that was looked at, and not what a link leads to by then. A missing one is reported by `open`.
        match path.canonicalize() {
            Ok(real) => check_is_private(path, &real).and_then(|()| Journal::open(&real)),
            Err(_) => Journal::open(path),
        }
    }

    /// Opens a journal that is there, to read it.
    ///
    /// # Errors
    /// It cannot be read, or is something else.
    pub(crate) fn read(path: &Path) -> Result<Self, JournalError> {
        let journal = Journal::connect(path, Doing::Read)?;
        match journal.checked_version()? {
            0 => Err(JournalError::no_journal(path, "it is empty")),
            _ => Ok(journal),
        }
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn connect(path: &Path, doing: Doing) -> Result<Self, JournalError> {
        check_header(path, doing)?;
        // Not as an address, which SQLite would take parameters from.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&path, flags);
        let connection = opened.map_err(|error| JournalError::of_sqlite(&path, doing, &error))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let journal = Journal { connection, identity: identity(&path), path, doing };
        journal.check(journal.connection.busy_timeout(PATIENCE))?;
        // Whoever closes the file last would wait for the disk, and would change one that it should leave alone.
        journal.check(journal.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))?;
        if doing == Doing::Write && journal.check(journal.connection.is_readonly("main"))? {
            return Err(JournalError::cannot(&journal.path, doing, "it is read-only"));
        }
        Ok(journal)
    }

    /// Puts the failure of something that was done with the file into words.
    pub(super) fn check<T>(&self, done: rusqlite::Result<T>) -> Result<T, JournalError> {
        done.map_err(|error| JournalError::of_sqlite(&self.path, self.doing, &error))
    }

    /// Makes sure that what is written is what the next process will find.
    pub(super) fn check_place(&self) -> Result<(), JournalError> {
        if self.identity == identity(&self.path) {
            return Ok(());
        }
        Err(JournalError::cannot(&self.path, Doing::Write, "the file was taken away or replaced"))
    }

    /// The version; 0 is that of a file without anything in it.
    fn checked_version(&self) -> Result<i64, JournalError> {
        if self.check(self.number("user_version"))? == 0 && self.check(self.is_empty())? {
            return Ok(0);
        }
        // Once more: another process may have laid the file out between the two looks at it.
        match self.check(self.number("user_version"))? {
            0 => Err(of_another(&self.path)),
            _ if self.check(self.number("application_id"))? != APPLICATION => Err(of_another(&self.path)),
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

    /// Makes an empty file a journal, unless another process is quicker.
    fn lay_out(&self) -> Result<(), JournalError> {
        only_for_owner(&self.path).map_err(|error| JournalError::of_system(&self.path, self.doing, &error))?;
        // In the main file, and not in the log: whoever looks at its first bytes finds them.
        let transaction = rusqlite::Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate);
        let transaction = self.check(transaction)?;
        if self.checked_version()? == 0 {
            self.check(transaction.execute_batch(SCHEMA))?;
            self.check(transaction.pragma_update(None, "application_id", APPLICATION))?;
            self.check(transaction.pragma_update(None, "user_version", VERSION))?;
        }
        self.check(transaction.commit())?;
        self.use_log()
    }

    /// Has changes written to a log first, so that a process may be killed at any time and readers need not wait.
    fn use_log(&self) -> Result<(), JournalError> {
        let began = Instant::now();
        loop {
            match self.connection.pragma_update(None, "journal_mode", "WAL") {
                // SQLite itself does not wait here for others that look at the file.
                Err(error) if is_busy(&error) && began.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(1)),
                done => return self.check(done),
            }
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn of_another(path: &Path) -> JournalError {
    JournalError::no_journal(path, "it is a database of another program")
}

/// Looks at the first bytes: SQLite must not touch what is no journal, or a newer one.
fn check_header(path: &Path, doing: Doing) -> Result<(), JournalError> {
    let bytes = header(path).map_err(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            return JournalError::of_system(path, doing, &error);
        }
        JournalError::new(format!("there is no journal {}: no such file", path.display()))
            .with_hint("`lmthing run --journal FILE` begins one; --journal=PATH names another")
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
        // Half-made ones are SQLite's to mend.
        (Some(APPLICATION | 0), _) => Ok(()),
        (None, _) => Err(JournalError::damaged(path, "it ends too early")),
        _ => Err(of_another(path)),
    }
}

fn header(path: &Path) -> io::Result<Vec<u8>> {
    // Before it is opened: a pipe would be waited for. A folder has nothing to read.
    match std::fs::metadata(path)?.file_type() {
        kind if kind.is_file() => {}
        kind if kind.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        _ => return Err(io::Error::other("it is not a regular file")),
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(100).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Makes the file, for nobody else to read, before anything is in it. SQLite gives those beside it the same rights.
fn make_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Takes the rights of others from a file that was there, empty.
#[cfg(unix)]
fn only_for_owner(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn only_for_owner(_path: &Path) -> io::Result<()> {
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
