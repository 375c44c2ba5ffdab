//! The SQLite file of the state.

use std::{
    collections::HashMap,
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

use indexmap::IndexMap;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};

use crate::{
    line::{CellLine, Score},
    plan::CellKey,
    scores::{Verdict, Verdicts},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_map::{lock_state, with_suffix};

const VERSION: i64 = 1;

/// Stored in `PRAGMA application_id`: `lmte`.
const APPLICATION: i64 = 0x6c6d_7465;

const STATEMENTS: usize = 16;

const CELL: &str = "WHERE row = ?1 AND variant = ?2 AND model = ?3 AND repeat = ?4 AND source = ?5";

pub(crate) type StateResult<T> = Result<T, Box<Diagnostic>>;

/// What answers cells. Cells of one source are not known to commands with the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Models,
    Recording,
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Source::Models => "models",
            Source::Recording => "recording",
        }
    }
}

/// The state of an OUT that no other command uses. Nothing of it has been changed.
pub(crate) struct LockedState {
    out: PathBuf,
    lock: File,
    /// Whether it will be empty.
    begins: bool,
}

#[derive(Debug)]
pub(crate) struct State {
    connection: Connection,
    source: Source,
    /// Shown in messages. `None` for a temporary file, without an OUT.
    out: Option<PathBuf>,
    /// Keeps other commands away while it is open.
    _lock: Option<File>,
}

/// What is known of a cell before its line is read.
#[derive(Clone, Debug)]
pub(crate) struct KnownCell {
    pub(crate) provenance: String,
    pub(crate) is_failed: bool,
    /// In the command that asked it.
    pub(crate) number: u64,
    pub(crate) identity: String,
}

/// A cell to be stored.
pub(crate) struct NewCell<'a> {
    pub(crate) key: &'a CellKey,
    pub(crate) known: KnownCell,
    pub(crate) line: &'a CellLine,
    /// JSON that only scores read.
    pub(crate) record: &'a str,
}

impl State {
    /// A state that is gone at the end of the command.
    pub(crate) fn temporary() -> StateResult<State> {
        // SQLite makes a private file of an empty name.
        let made = Connection::open("").and_then(|connection| {
            connection.pragma_update(None, "journal_mode", "OFF")?;
            connection.pragma_update(None, "synchronous", "OFF")?;
            connection.execute_batch(include_str!("schema.sql"))?;
            Ok(connection)
        });
        let connection = made.map_err(|error| cannot_write(None, &error))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(State { connection, source: Source::Models, out: None, _lock: None })
    }

    /// Locks the state of `out`. It will be empty if OUT is missing, and with `is_fresh`.
    pub(crate) fn lock(out: &Path, is_fresh: bool) -> StateResult<LockedState> {
        let lock = lock_state(out)?;
        let path = with_suffix(out, ".lmthing");
        let has_results = fs::metadata(out).is_ok_and(|metadata| metadata.len() > 0);
        let is_new = lock.metadata().is_ok_and(|metadata| metadata.len() == 0);
        let is_ours = !is_new && is_state(&path);
        if has_results && !is_ours && !is_fresh {
            if is_new {
                let _ = fs::remove_file(&path);
            }
            let message = format!("{} is there already, and was not written by lmthing eval", out.display());
            return Err(Box::new(
                Diagnostic::new(message).with_hint("name another file, or write over it with --fresh"),
            ));
        }
        let begins = is_fresh || !is_ours || !out.exists();
        Ok(LockedState { out: out.to_owned(), lock, begins })
    }

    /// Opens it for the cells of a source.
    pub(crate) fn open(LockedState { out, lock, begins }: LockedState, source: Source) -> StateResult<State> {
        let path = with_suffix(&out, ".lmthing");
        let opened = if begins { create(&path, &lock) } else { connect(&path) };
        let connection = opened.map_err(|error| cannot_write(Some(&out), &error))?;
        let state = State { connection, source, out: Some(out), _lock: Some(lock) };
        let version: i64 =
            state.read(|connection| connection.pragma_query_value(None, "user_version", |row| row.get(0)))?;
        if version != VERSION {
            let message = format!("{} has format {version}, and this lmthing knows {VERSION}", path.display());
            return Err(Box::new(Diagnostic::new(message).with_hint("update lmthing, or begin again with --fresh")));
        }
        Ok(state)
    }

    pub(crate) fn cells(&self) -> StateResult<HashMap<CellKey, KnownCell>> {
        self.read(|connection| {
            let sql = "SELECT row, variant, model, repeat, provenance, failed, number, identity FROM cells \
                       WHERE source = ?1";
            let mut statement = connection.prepare(sql)?;
            let cell = |row: &Row<'_>| {
                let number = u64::try_from(row.get::<_, i64>(6)?).unwrap_or(0);
                let known =
                    KnownCell { provenance: row.get(4)?, is_failed: row.get(5)?, number, identity: row.get(7)? };
                Ok((key(row)?, known))
            };
            statement.query_map([self.source.name()], cell)?.collect()
        })
    }

    /// Whether it has answers of the other source.
    pub(crate) fn has_other_source(&self) -> StateResult<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM cells WHERE source <> ?1 AND failed = 0)";
        self.read(|connection| connection.query_row(sql, [self.source.name()], |row| row.get(0)))
    }

    /// The line of a cell with its last scores.
    pub(crate) fn line(&self, key: &CellKey) -> StateResult<Option<CellLine>> {
        let (CellKey { row, variant, model, repeat }, source) = (key, self.source.name());
        self.read(|connection| {
            let sql = &format!("SELECT line, scores FROM cells {CELL}");
            let line = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?));
            let found = connection.prepare_cached(sql)?.query_row(params![row, variant, model, repeat, source], line);
            Ok(found.optional()?.and_then(|(line, scores)| read_line(&line, scores.as_deref())))
        })
    }

    /// JSON that only scores read.
    pub(crate) fn record(&self, key: &CellKey) -> StateResult<String> {
        let (CellKey { row, variant, model, repeat }, source) = (key, self.source.name());
        self.read(|connection| {
            let sql = &format!("SELECT record FROM cells {CELL}");
            let found = connection
                .prepare_cached(sql)?
                .query_row(params![row, variant, model, repeat, source], |row| row.get(0))
                .optional();
            Ok(found?.unwrap_or_default())
        })
    }

    pub(crate) fn keep(&self, cell: &NewCell<'_>) -> StateResult<()> {
        let (CellKey { row, variant, model, repeat }, source) = (cell.key, self.source.name());
        let KnownCell { provenance, is_failed, number, identity } = &cell.known;
        let line = serde_json::to_string(cell.line).unwrap_or_default();
        self.write(|connection| {
            let sql = "INSERT OR REPLACE INTO cells \
                       (row, variant, model, repeat, source, number, identity, provenance, failed, line, record) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
            let number = i64::try_from(*number).unwrap_or(i64::MAX);
            connection
                .prepare_cached(sql)?
                .execute(params![
                    row,
                    variant,
                    model,
                    repeat,
                    source,
                    number,
                    identity,
                    provenance,
                    is_failed,
                    line,
                    cell.record
                ])
                .map(drop)
        })
    }

    pub(crate) fn set_scores(&self, key: &CellKey, scores: &IndexMap<String, Score>) -> StateResult<()> {
        let (CellKey { row, variant, model, repeat }, source) = (key, self.source.name());
        let scores = serde_json::to_string(scores).unwrap_or_default();
        self.write(|connection| {
            let sql = &format!("UPDATE cells SET scores = ?6 {CELL}");
            connection.prepare_cached(sql)?.execute(params![row, variant, model, repeat, source, scores]).map(drop)
        })
    }

    pub(crate) fn forget(&self, cells: &[CellKey]) -> StateResult<()> {
        self.write(|connection| {
            connection.execute_batch("BEGIN IMMEDIATE")?;
            let sql = &format!("DELETE FROM cells {CELL}");
            let source = self.source.name();
            for CellKey { row, variant, model, repeat } in cells {
                connection.prepare_cached(sql)?.execute(params![row, variant, model, repeat, source])?;
            }
            connection.execute_batch("COMMIT")
        })
    }

    pub(crate) fn verdicts(&self) -> StateResult<Verdicts> {
        let known: Vec<(String, String)> = self.read(|connection| {
            let mut statement = connection.prepare("SELECT key, verdict FROM verdicts")?;
            statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        Ok(known.into_iter().filter_map(|(key, text)| Some((key, serde_json::from_str(&text).ok()?))).collect())
    }

    pub(crate) fn keep_verdict(&self, key: &str, verdict: &Verdict) -> StateResult<()> {
        let verdict = serde_json::to_string(verdict).unwrap_or_default();
        self.write(|connection| {
            let sql = "INSERT OR REPLACE INTO verdicts (key, verdict) VALUES (?1, ?2)";
            connection.prepare_cached(sql)?.execute([key, &verdict]).map(drop)
        })
    }

    /// Leaves one file.
    pub(crate) fn close(self) {
        if self.out.is_some() {
            // Fails if the disk is full; the next command reads the other files as well.
            let _ = self.connection.pragma_update(None, "journal_mode", "DELETE");
        }
        let _ = self.connection.close();
    }

    fn write<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> StateResult<T> {
        work(&self.connection).map_err(|error| cannot_write(self.out.as_deref(), &error))
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> StateResult<T> {
        work(&self.connection).map_err(|error| {
            let message = format!("cannot read {}: {error}", state_name(self.out.as_deref()));
            Box::new(Diagnostic::new(message).with_hint("--fresh begins again, and asks everything"))
        })
    }
}

fn key(row: &Row<'_>) -> rusqlite::Result<CellKey> {
    Ok(CellKey { row: row.get(0)?, variant: row.get(1)?, model: row.get(2)?, repeat: row.get(3)? })
}

fn read_line(line: &str, scores: Option<&str>) -> Option<CellLine> {
    let line: CellLine = serde_json::from_str(line).ok()?;
    let scores = scores.and_then(|scores| serde_json::from_str(scores).ok()).unwrap_or_default();
    Some(CellLine { scores, ..line })
}

/// Whether a file is the state of an eval.
fn is_state(path: &Path) -> bool {
    let application = Connection::open(path).and_then(|connection| {
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0))
    });
    application.is_ok_and(|application| application == APPLICATION)
}

/// Makes an empty state in a file that is locked.
fn create(path: &Path, lock: &File) -> rusqlite::Result<Connection> {
    for ending in ["-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(with_suffix(path, ending));
    }
    // Fails for a file that cannot be written, which SQLite then says.
    let _ = lock.set_len(0);
    make_private(path);
    let connection = Connection::open(path)?;
    // The tables are made in one transaction, before the journal is another file.
    connection.execute_batch(&format!(
        "BEGIN; {} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;",
        include_str!("schema.sql")
    ))?;
    drop(connection);
    connect(path)
}

/// Prompts and answers are in the file.
fn make_private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    }
    #[cfg(not(unix))]
    let _ = path;
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

fn state_name(out: Option<&Path>) -> String {
    match out {
        Some(out) => format!("{}.lmthing", out.display()),
        None => "the temporary file of the answers".to_owned(),
    }
}

fn cannot_write(out: Option<&Path>, error: &rusqlite::Error) -> Box<Diagnostic> {
    let why = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
        Some(ErrorCode::ReadOnly) => "it is read-only".to_owned(),
        Some(ErrorCode::CannotOpen) => "it cannot be opened".to_owned(),
        _ => error.to_string(),
    };
    let problem = Diagnostic::new(format!("cannot write {}: {why}", state_name(out)));
    Box::new(match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            problem.with_hint("what is written there stays; with free space the same command asks the rest")
        }
        _ => problem,
    })
}
