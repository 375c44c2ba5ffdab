//! The file next to OUT that has the rows that wait for batches, their requests and the batches themselves.
//!
//! It is written before and after each remote act, so that a process that ends at any moment loses nothing.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::{
    hashes::fresh_salt,
    results::{Provenance, with_suffix},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_system::files::io_error_text;

const VERSION: i64 = 2;

/// Stored in `PRAGMA application_id`: `lmtb`.
const APPLICATION: i64 = 0x6c6d_7462;

const STATEMENTS: usize = 48;

const OTHER_PLACE: &str = "move it away if it is not needed, or name another OUT";

/// The file is private, as prompts and answers are in it.
#[derive(Debug)]
pub(crate) struct BatchState {
    pub(super) connection: Connection,
    path: PathBuf,
    pub(super) header: StateHeader,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StateHeader {
    /// What the requests were made with.
    pub provenance: Provenance,
    /// Begins the names of batches, which no other program uses.
    pub name: String,
}

/// An error of the state file, as a message for the user.
pub(crate) type StateError = Box<Diagnostic>;

pub(super) type BatchResult<T> = Result<T, StateError>;

impl BatchState {
    pub(crate) fn path_of(out: &Path) -> PathBuf {
        with_suffix(out, ".batches")
    }

    /// Opens the state of an earlier command; `None` if there is none.
    pub(crate) fn open(out: &Path) -> BatchResult<Option<Self>> {
        let path = BatchState::path_of(out);
        if !path.exists() {
            return Ok(None);
        }
        let connection = open_reader(&path).map_err(|error| cannot_read(&path, &error))?;
        let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
        let known = number("application_id").and_then(|application| Ok((application, number("user_version")?)));
        match known.map_err(|error| cannot_read(&path, &error))? {
            // A process ended before it had made the tables, so nothing was submitted.
            (0, 0) => return Ok(None),
            (APPLICATION, 1..=VERSION) => {}
            (APPLICATION, version) => {
                let message = format!("{} has format {version}, and this lmthing knows {VERSION}", path.display());
                let hint =
                    "update lmthing; without it, remove the file: its batches go on at the provider, and are paid";
                return Err(Box::new(Diagnostic::new(message).with_hint(hint)));
            }
            _ => {
                let message = format!("{} is no state of batches", path.display());
                return Err(Box::new(Diagnostic::new(message).with_hint(OTHER_PLACE)));
            }
        }
        let header: rusqlite::Result<Option<String>> =
            connection.query_row("SELECT value FROM meta WHERE key = 'header'", (), |row| row.get(0)).optional();
        let header = header.map_err(|error| cannot_read(&path, &error))?;
        let header = header.and_then(|text| serde_json::from_str(&text).ok());
        let damaged = || {
            Box::new(Diagnostic::new(format!("{} is damaged: it has no header", path.display())).with_hint(OTHER_PLACE))
        };
        let header = header.ok_or_else(damaged)?;
        let prepared = prepare(&connection).and_then(|()| migrate(&connection));
        prepared.map_err(|error| cannot_write(&path, &sqlite_text(&error)))?;
        Ok(Some(BatchState { connection, path, header }))
    }

    pub(crate) fn create(out: &Path, provenance: Provenance) -> BatchResult<Self> {
        let path = BatchState::path_of(out);
        // The rest of a process that ended while it made the tables.
        remove_files(&path);
        create_private(&path).map_err(|error| cannot_write(&path, &io_error_text(&error)))?;
        let name = format!("lmthing-{}", &fresh_salt()[..12]);
        let header = StateHeader { provenance, name };
        let text = serde_json::to_string(&header).unwrap_or_default();
        let made = open_reader(&path).and_then(|connection| {
            prepare(&connection)?;
            connection.execute_batch(include_str!("schema.sql"))?;
            connection.execute("INSERT INTO meta (key, value) VALUES ('header', ?1)", [text])?;
            connection.pragma_update(None, "application_id", APPLICATION)?;
            connection.pragma_update(None, "user_version", VERSION)?;
            Ok(connection)
        });
        let connection = made.map_err(|error| cannot_write(&path, &sqlite_text(&error)))?;
        Ok(BatchState { connection, path, header })
    }

    /// Begins the names of batches.
    pub(crate) fn name(&self) -> &str {
        &self.header.name
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file and those that belong to it.
    pub(crate) fn remove(self) {
        let BatchState { connection, path, .. } = self;
        drop(connection);
        remove_files(&path);
    }

    /// Writes everything of `work` or nothing. It outlasts the process, but perhaps not a power failure.
    pub(super) fn write<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> BatchResult<T> {
        let written = self.connection.execute_batch("BEGIN IMMEDIATE").and_then(|()| {
            let done = work(&self.connection)?;
            self.connection.execute_batch("COMMIT")?;
            Ok(done)
        });
        if written.is_err() {
            // Fails if the transaction is over already.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        written.map_err(|error| cannot_write(&self.path, &sqlite_text(&error)))
    }

    /// As [`BatchState::write`], also across a power failure: what follows is a remote act that relies on it.
    pub(super) fn write_safely<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> BatchResult<T> {
        let set = |level: &str| self.connection.pragma_update(None, "synchronous", level);
        set("FULL").map_err(|error| cannot_write(&self.path, &sqlite_text(&error)))?;
        let written = self.write(work);
        set("NORMAL").map_err(|error| cannot_write(&self.path, &sqlite_text(&error)))?;
        written
    }

    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> BatchResult<T> {
        work(&self.connection).map_err(|error| cannot_read(&self.path, &error))
    }
}

/// A connection that only reads, for the thread that uploads requests.
pub(super) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    Ok(connection)
}

/// Makes a connection ready for writing.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")
}

/// Brings tables of format 1 to the present one.
fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "SELECT count(*) FROM pragma_table_info('rows') WHERE name = 'worked'";
    if connection.query_row(sql, (), |row| row.get::<_, i64>(0))? == 0 {
        connection.execute_batch("ALTER TABLE rows ADD COLUMN worked INTEGER NOT NULL DEFAULT 0")?;
    }
    connection.pragma_update(None, "user_version", VERSION)
}

fn create_private(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn remove_files(path: &Path) {
    remove_lines(path);
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(with_suffix(path, ending));
    }
}

/// The file with the lines of a batch, which is there while they are uploaded.
pub(super) fn lines_path(state: &Path, batch: i64) -> PathBuf {
    with_suffix(state, &format!("-{batch}.jsonl"))
}

/// Removes the files that a process has left which ended while it uploaded them.
fn remove_lines(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let prefix = format!("{}-", name.to_string_lossy());
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        let number = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".jsonl"));
        if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn sqlite_text(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
        Some(ErrorCode::ReadOnly) => "it is read-only".to_owned(),
        Some(ErrorCode::CannotOpen) => "it cannot be opened".to_owned(),
        Some(ErrorCode::NotADatabase) => "it is no state of batches".to_owned(),
        _ => error.to_string(),
    }
}

fn cannot_write(path: &Path, why: &str) -> StateError {
    let message = format!("cannot write {}, the state of the batches: {why}", path.display());
    Box::new(Diagnostic::new(message).with_hint(OTHER_PLACE))
}

fn cannot_read(path: &Path, error: &rusqlite::Error) -> StateError {
    let message = format!("cannot read {}, the state of the batches: {}", path.display(), sqlite_text(error));
    Box::new(Diagnostic::new(message).with_hint(OTHER_PLACE))
}

impl BatchState {
    /// The id of a target, which is stored when it is new.
    pub(super) fn target_id(connection: &Connection, target: &str) -> rusqlite::Result<i64> {
        connection.prepare_cached("INSERT OR IGNORE INTO targets (target) VALUES (?1)")?.execute([target])?;
        connection
            .prepare_cached("SELECT id FROM targets WHERE target = ?1")?
            .query_row(params![target], |row| row.get(0))
    }
}
