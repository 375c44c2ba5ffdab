//! The stored rows that are not finished.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::{
    known::{Ask, KnownRequest, Outcome, RowRecord, target_text},
    row_log::NewEntry,
    state::{BatchResult, BatchState},
};
use crate::hashes::hash_of_request;
use lmthing_base::chat::{RequestPlace, Usage};
use lmthing_providers::BatchAnswer;

/// A row that can go on.
#[derive(Clone, Debug)]
pub(crate) struct StoredRow {
    pub id: i64,
    pub row: u64,
    pub input: Map<String, Value>,
    pub attempt: u32,
    pub progress: RowProgress,
}

/// What is kept of a row while it waits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowProgress {
    pub failures: u32,
    /// Of attempts of which nothing else is kept.
    pub usage: Usage,
    pub cost: Option<f64>,
    /// When its first attempt began, in milliseconds since 1970.
    pub began: u64,
    /// How long the runs were at work that the next one continues.
    pub worked: Duration,
}

/// Requests that are not in a batch yet: of which service, and how many bytes.
pub(super) type Added = Vec<(i64, u64)>;

impl BatchState {
    /// Prepares what an earlier command has left: no row runs, and requests that are in no batch are made again.
    pub(crate) fn resume(&self) -> BatchResult<()> {
        self.dissolve_unsent()?;
        self.write(|connection| {
            connection.execute_batch(
                "UPDATE requests SET held = 0;
                 UPDATE rows SET claimed = 0,
                   stage = CASE WHEN EXISTS (SELECT 1 FROM requests r WHERE r.row = rows.id AND r.outcome IS NULL AND r.batch IS NOT NULL)
                     AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.row = rows.id AND r.outcome IS NULL AND r.batch IS NULL)
                     AND rows.stage = 'waiting'
                   THEN 'waiting' ELSE 'ready' END;
                 DELETE FROM requests WHERE outcome IS NULL AND batch IS NULL;
                 DELETE FROM rows WHERE NOT EXISTS (SELECT 1 FROM requests r WHERE r.row = rows.id)
                   AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.row = rows.id);",
            )
        })
    }

    /// Forgets a row whose result stands in OUT: the process ended before it could.
    pub(crate) fn forget_written(&self, row: u64, identity: &str) -> BatchResult<()> {
        self.write(|connection| {
            let ids = "SELECT id FROM rows WHERE row = ?1 AND hash = ?2";
            let mut statement = connection.prepare_cached(ids)?;
            let ids: rusqlite::Result<Vec<i64>> =
                statement.query_map(params![number(row), identity], |row| row.get(0))?.collect();
            ids?.into_iter().try_for_each(|id| forget_row(connection, id))
        })
    }

    /// Finds the row of an earlier command with this target and input, which is this command's row from now on.
    pub(crate) fn claim(&self, row: u64, identity: &str) -> BatchResult<bool> {
        self.write(|connection| {
            let found: Option<i64> = connection
                .prepare_cached("SELECT id FROM rows WHERE hash = ?1 AND claimed = 0 ORDER BY row, id LIMIT 1")?
                .query_row([identity], |row| row.get(0))
                .optional()?;
            let Some(id) = found else { return Ok(false) };
            connection
                .prepare_cached("UPDATE rows SET claimed = 1, row = ?2 WHERE id = ?1")?
                .execute(params![id, number(row)])?;
            Ok(true)
        })
    }

    pub(super) fn begin_row(
        &self,
        (row, identity): (u64, &str),
        input: &Map<String, Value>,
        began: u64,
    ) -> BatchResult<i64> {
        self.write(|connection| {
            connection
                .prepare_cached(
                    "INSERT INTO rows (row, hash, input, stage, claimed, began) VALUES (?1, ?2, ?3, 'running', 1, ?4)",
                )?
                .execute(params![number(row), identity, Value::Object(input.clone()).to_string(), number(began)])?;
            Ok(connection.last_insert_rowid())
        })
    }

    /// Takes the next row that can go on.
    pub(super) fn next_ready(&self) -> BatchResult<Option<StoredRow>> {
        let found = self.read(|connection| {
            let sql = "SELECT id, row, input, attempt, failures, usage, cost, began, worked FROM rows \
                       WHERE stage = 'ready' AND claimed = 1 ORDER BY row LIMIT 1";
            connection.prepare_cached(sql)?.query_row((), stored_row).optional()
        })?;
        if let Some(row) = &found {
            self.write(|connection| {
                connection
                    .prepare_cached("UPDATE rows SET stage = 'running', attempt = attempt + 1 WHERE id = ?1")?
                    .execute([row.id])
            })?;
        }
        Ok(found)
    }

    /// What is known of a row that is run again.
    pub(super) fn record(&self, id: i64) -> BatchResult<RowRecord> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, key, step, number, digest, outcome, status, answer, tries, \
                 batch IS NOT NULL FROM requests WHERE row = ?1 ORDER BY id",
            )?;
            let requests: rusqlite::Result<_> = statement.query_map([id], known_request)?.collect();
            let mut statement =
                connection.prepare_cached("SELECT key, entry FROM entries WHERE row = ?1 ORDER BY id")?;
            let entries: rusqlite::Result<_> =
                statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect();
            Ok(RowRecord { requests: requests?, entries: entries? })
        })
    }

    pub(super) fn append_entry(&self, id: i64, entry: &NewEntry) -> BatchResult<()> {
        self.write(|connection| {
            let mut statement = connection.prepare_cached("UPDATE requests SET key = ?2 WHERE id = ?1")?;
            entry.moved.iter().try_for_each(|(request, key)| statement.execute(params![request, key]).map(drop))?;
            connection
                .prepare_cached("INSERT INTO entries (row, key, entry) VALUES (?1, ?2, ?3)")?
                .execute(params![id, entry.key, entry.text])
                .map(drop)
        })
    }

    /// Stores a row that waits for `asks`. It is ready again if one of them has been answered meanwhile.
    pub(super) fn suspend(&self, id: i64, asks: Vec<Ask>, progress: RowProgress) -> BatchResult<Added> {
        self.write(|connection| {
            let mut added = Added::new();
            let mut is_ready = false;
            for ask in asks {
                match ask {
                    Ask::Known { id, .. } => {
                        let answered = "SELECT outcome IS NOT NULL FROM requests WHERE id = ?1";
                        is_ready |=
                            connection.prepare_cached(answered)?.query_row([id], |row| row.get::<_, bool>(0))?;
                    }
                    Ask::New { request, replaces } => {
                        replaces.map_or(Ok(()), |(id, _)| delete_request(connection, id))?;
                        let tries = replaces.map_or(0, |(_, tries)| tries);
                        added.push(insert_request(connection, (id, tries), *request)?);
                    }
                }
            }
            let stage = if is_ready { "ready" } else { "waiting" };
            write_progress(connection, id, stage, progress)?;
            Ok(added)
        })
    }

    /// Prepares the next attempt of a row that failed. With `keeps_log` only what failed is asked again.
    pub(super) fn retry(&self, id: i64, keeps_log: bool, progress: RowProgress) -> BatchResult<()> {
        self.write(|connection| {
            if keeps_log {
                let failed = "DELETE FROM requests WHERE row = ?1 AND (outcome = 'failed' OR status >= 300)";
                connection.prepare_cached(failed)?.execute([id])?;
            } else {
                // Those in a batch still come back, and have no place any more.
                connection.prepare_cached("DELETE FROM requests WHERE row = ?1")?.execute([id])?;
                connection.prepare_cached("DELETE FROM entries WHERE row = ?1")?.execute([id])?;
            }
            connection.prepare_cached("UPDATE rows SET attempt = attempt + 1 WHERE id = ?1")?.execute([id])?;
            write_progress(connection, id, "running", progress)
        })
    }

    /// Forgets rows whose results stand in OUT.
    pub(super) fn forget(&self, ids: &[i64]) -> BatchResult<()> {
        self.write(|connection| ids.iter().try_for_each(|id| forget_row(connection, *id)))
    }

    /// Has one row of a batch run, as only the file knows the settings of the service.
    pub(super) fn wake_row_of(&self, target: i64) -> BatchResult<bool> {
        self.write(|connection| {
            let sql = "UPDATE rows SET stage = 'ready' WHERE id = (SELECT rows.id FROM requests JOIN rows \
                       ON rows.id = requests.row WHERE requests.target = ?1 AND rows.claimed = 1 \
                       AND rows.stage = 'waiting' AND requests.outcome IS NULL LIMIT 1)";
            Ok(connection.execute(sql, [target])? > 0)
        })
    }

    /// The number of rows that wait for something that was paid or is under way.
    pub(crate) fn bound_rows(&self) -> BatchResult<u64> {
        self.read(|connection| {
            let sql =
                "SELECT count(DISTINCT row) FROM requests WHERE batch IS NOT NULL AND row IN (SELECT id FROM rows)";
            connection.query_row(sql, (), |row| row.get::<_, i64>(0)).map(unsigned)
        })
    }

    /// The rows of this command that wait for batches at their providers.
    pub(super) fn waiting_rows(&self) -> BatchResult<u64> {
        self.read(|connection| {
            let sql = "SELECT count(DISTINCT row) FROM requests WHERE outcome IS NULL AND batch IS NOT NULL \
                       AND row IN (SELECT id FROM rows WHERE claimed = 1)";
            connection.query_row(sql, (), |row| row.get::<_, i64>(0)).map(unsigned)
        })
    }

    /// The rows of this command that go on from stored answers.
    pub(super) fn answered_rows(&self) -> BatchResult<u64> {
        self.read(|connection| {
            let sql = "SELECT count(*) FROM rows WHERE claimed = 1 \
                       AND EXISTS (SELECT 1 FROM requests r WHERE r.row = rows.id AND r.outcome = 'answered' \
                         AND r.status < 300) \
                       AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.row = rows.id AND r.outcome IS NULL \
                         AND r.batch IS NOT NULL)";
            connection.query_row(sql, (), |row| row.get::<_, i64>(0)).map(unsigned)
        })
    }

    pub(super) fn has_claimed_rows(&self) -> BatchResult<bool> {
        self.read(|connection| {
            connection.query_row("SELECT EXISTS (SELECT 1 FROM rows WHERE claimed = 1)", (), |row| row.get(0))
        })
    }
}

fn forget_row(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM requests WHERE row = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM entries WHERE row = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM rows WHERE id = ?1")?.execute([id]).map(drop)
}

fn delete_request(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM requests WHERE id = ?1")?.execute([id]).map(drop)
}

fn insert_request(
    connection: &Connection,
    (row, tries): (i64, u32),
    request: lmthing_providers::BatchRequest,
) -> rusqlite::Result<(i64, u64)> {
    let target = BatchState::target_id(connection, &target_text(&request.target))?;
    let RequestPlace { key, step, number: place } = request.place;
    let body = request.body.get();
    connection
        .prepare_cached(
            "INSERT INTO requests (row, key, step, number, digest, target, model, body, bytes, tries) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            row,
            key,
            number(step as u64),
            number(place as u64),
            hash_of_request(&request.body),
            target,
            request.model_id,
            body,
            number(body.len() as u64),
            tries
        ])?;
    Ok((target, body.len() as u64))
}

fn write_progress(connection: &Connection, id: i64, stage: &str, progress: RowProgress) -> rusqlite::Result<()> {
    let RowProgress { failures, usage, cost, worked, .. } = progress;
    let worked = i64::try_from(worked.as_millis()).unwrap_or(i64::MAX);
    let usage = serde_json::to_string(&usage).unwrap_or_default();
    connection
        .prepare_cached("UPDATE rows SET stage = ?2, failures = ?3, usage = ?4, cost = ?5, worked = ?6 WHERE id = ?1")?
        .execute(params![id, stage, failures, usage, cost, worked])
        .map(drop)
}

fn stored_row(row: &Row<'_>) -> rusqlite::Result<StoredRow> {
    let (input, usage): (String, String) = (row.get(2)?, row.get(5)?);
    Ok(StoredRow {
        id: row.get(0)?,
        row: unsigned(row.get(1)?),
        input: serde_json::from_str(&input).unwrap_or_default(),
        attempt: row.get::<_, u32>(3)? + 1,
        progress: RowProgress {
            failures: row.get(4)?,
            usage: serde_json::from_str(&usage).unwrap_or_default(),
            cost: row.get(6)?,
            began: unsigned(row.get(7)?),
            worked: Duration::from_millis(unsigned(row.get(8)?)),
        },
    })
}

fn known_request(row: &Row<'_>) -> rusqlite::Result<KnownRequest> {
    let (outcome, status, answer): (Option<String>, Option<u16>, Option<String>) =
        (row.get(5)?, row.get(6)?, row.get(7)?);
    let answer = answer.unwrap_or_default();
    let answered = |body: String| serde_json::value::RawValue::from_string(body).ok();
    let outcome = outcome.map(|outcome| match answered(answer.clone()).filter(|_| outcome == "answered") {
        Some(body) => Outcome::Answered(BatchAnswer { status: status.unwrap_or(200), body }),
        None => Outcome::Failed(answer),
    });
    let place = RequestPlace { key: row.get(1)?, step: size(row.get(2)?), number: size(row.get(3)?) };
    let (digest, tries, is_submitted) = (row.get(4)?, row.get(8)?, row.get(9)?);
    Ok(KnownRequest { id: row.get(0)?, place, digest, tries, is_submitted, outcome })
}

/// SQLite has signed numbers only.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn size(value: i64) -> usize {
    usize::try_from(value).unwrap_or(0)
}
