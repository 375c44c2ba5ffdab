//! The stored batches: what is in them, how far they are, and their answers.

use rusqlite::{Connection, Row, params};

use super::{
    rows::{number, unsigned},
    state::{BatchResult, BatchState},
};
use lmthing_providers::{BatchLimits, BatchOutcome, BatchPhase, BatchStatus, BatchTarget, NewBatch, RemoteId};

/// About what a line of a file has besides the body of the request.
const LINE_OVERHEAD: u64 = 500;

const MISSING: &str = "the batch has ended without an answer to this request";

/// A batch and how far it is. The stage is stored before the act that leads to the next one.
#[derive(Clone, Debug)]
pub(super) struct Shipment {
    pub(super) id: i64,
    pub(super) target: i64,
    pub(super) new: NewBatch,
    pub(super) stage: Stage,
    pub(super) file: Option<RemoteId>,
    pub(super) remote: Option<RemoteId>,
    pub(super) status: BatchStatus,
    /// By lmthing itself.
    pub(super) cancelled: Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cancelled {
    No,
    /// The provider has perhaps not been asked yet.
    Begun,
    Done,
}

/// While it is uploading or creating and no act is under way, what that act has done is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Made,
    Uploading,
    Uploaded,
    Creating,
    Created,
    Ended,
    Collected,
}

/// What becomes of requests of an ended batch that have no answer.
enum Unanswered {
    Fail(String),
    /// They go into another batch, `is_held` only with the next command.
    GiveBack {
        is_held: bool,
    },
}

const STAGES: [(Stage, &str); 7] = [
    (Stage::Made, "made"),
    (Stage::Uploading, "uploading"),
    (Stage::Uploaded, "uploaded"),
    (Stage::Creating, "creating"),
    (Stage::Created, "created"),
    (Stage::Ended, "ended"),
    (Stage::Collected, "collected"),
];

/// Requests of a service that are in no batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gathered {
    pub(super) requests: usize,
    pub(super) bytes: u64,
}

impl Gathered {
    pub(super) fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes += bytes + LINE_OVERHEAD;
    }

    pub(super) fn fill(self, limits: BatchLimits) -> bool {
        self.requests >= limits.requests || self.bytes >= limits.bytes
    }
}

impl BatchState {
    pub(super) fn shipments(&self) -> BatchResult<Vec<Shipment>> {
        self.read(|connection| {
            let sql = "SELECT id, target, new, stage, file, remote, status, cancelled FROM batches ORDER BY id";
            connection.prepare(sql)?.query_map((), shipment)?.collect()
        })
    }

    pub(super) fn target(&self, id: i64) -> BatchResult<BatchTarget> {
        let text: String = self.read(|connection| {
            connection.query_row("SELECT target FROM targets WHERE id = ?1", [id], |row| row.get(0))
        })?;
        serde_json::from_str(&text).map_err(|_| self.damaged("a service cannot be read"))
    }

    pub(super) fn target_of(&self, text: &str) -> BatchResult<i64> {
        self.write(|connection| BatchState::target_id(connection, text))
    }

    pub(super) fn gathered(&self, target: i64) -> BatchResult<Gathered> {
        self.read(|connection| {
            let sql = "SELECT count(*), coalesce(sum(bytes), 0) FROM requests \
                       WHERE batch IS NULL AND outcome IS NULL AND held = 0 AND target = ?1";
            let (requests, bytes): (i64, i64) =
                connection.prepare_cached(sql)?.query_row([target], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let bytes = unsigned(bytes) + LINE_OVERHEAD * unsigned(requests);
            Ok(Gathered { requests: usize::try_from(requests).unwrap_or(0), bytes })
        })
    }

    /// Makes a batch of requests that are in none.
    pub(super) fn make_batch(&self, target: i64, limits: BatchLimits, now: u64) -> BatchResult<Option<Shipment>> {
        let service = self.target(target)?;
        let name = &self.header.name;
        self.write_safely(|connection| {
            let ids = next_requests(connection, target, limits)?;
            if ids.is_empty() {
                return Ok(None);
            }
            connection.execute("INSERT INTO batches (target, new, stage) VALUES (?1, '', 'made')", [target])?;
            let id = connection.last_insert_rowid();
            let new = NewBatch { name: format!("{name}-{id}"), target: service, requests: ids.len(), created_at: now };
            let text = serde_json::to_string(&new).unwrap_or_default();
            connection.execute("UPDATE batches SET new = ?2 WHERE id = ?1", params![id, text])?;
            let mut take = connection.prepare_cached("UPDATE requests SET batch = ?2 WHERE id = ?1")?;
            for request in &ids {
                take.execute(params![request, id])?;
            }
            let (stage, status) = (Stage::Made, BatchStatus::default());
            Ok(Some(Shipment { id, target, new, stage, file: None, remote: None, status, cancelled: Cancelled::No }))
        })
    }

    /// Stores how far a batch is, for good.
    pub(super) fn store(&self, shipment: &Shipment) -> BatchResult<()> {
        let Shipment { id, stage, file, remote, status, cancelled, .. } = shipment;
        let cancelled = *cancelled as u8;
        let status = serde_json::to_string(status).unwrap_or_default();
        self.write_safely(|connection| {
            let sql =
                "UPDATE batches SET stage = ?2, file = ?3, remote = ?4, status = ?5, cancelled = ?6 WHERE id = ?1";
            connection.execute(sql, params![id, stage.name(), file, remote, status, cancelled]).map(drop)
        })
    }

    /// Stores answers of a batch, also if they are stored already. What has succeeded stays.
    pub(super) fn collect(&self, batch: i64, outcomes: Vec<(String, BatchOutcome)>) -> BatchResult<()> {
        let name = &self.header.name;
        self.write(|connection| {
            let sql = "UPDATE requests SET outcome = ?3, status = ?4, answer = ?5, body = NULL \
                       WHERE id = ?1 AND batch = ?2 AND (outcome IS NULL OR outcome = 'failed' OR status >= 300)";
            let mut store = connection.prepare_cached(sql)?;
            for (custom_id, outcome) in outcomes {
                let Some(request) = request_of(name, batch, &custom_id) else { continue };
                match outcome {
                    BatchOutcome::Answered(answer) => {
                        store.execute(params![request, batch, "answered", answer.status, answer.body.get()])?;
                    }
                    BatchOutcome::Expired(words) => {
                        store.execute(params![request, batch, "failed", None::<u16>, words])?;
                    }
                    // What that means depends on who has cancelled the batch.
                    BatchOutcome::Cancelled(_) => {
                        let hold = "UPDATE requests SET held = 1 WHERE id = ?1 AND batch = ?2 AND outcome IS NULL";
                        connection.prepare_cached(hold)?.execute(params![request, batch])?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Decides on the requests of an ended batch that have no answer, and has rows with an answer run again. Returns how
    /// many requests are left to the next command.
    pub(super) fn close(&self, shipment: &Shipment) -> BatchResult<usize> {
        let (id, target) = (shipment.id, shipment.target);
        self.write_safely(|connection| {
            let give_back = |is_held: bool, which: &str| {
                let sql =
                    format!("UPDATE requests SET batch = NULL, held = ?2 WHERE batch = ?1 AND outcome IS NULL {which}");
                connection.execute(&sql, params![id, is_held]).map(|count| if is_held { count } else { 0 })
            };
            // Those that the provider has named as cancelled, and the rest.
            let mut left = give_back(!shipment.is_cancelled(), "AND held = 1")?;
            match shipment.unanswered() {
                Unanswered::GiveBack { is_held } => left += give_back(is_held, "")?,
                Unanswered::Fail(words) => {
                    let fail = "UPDATE requests SET outcome = 'failed', answer = ?2, body = NULL \
                                WHERE batch = ?1 AND outcome IS NULL";
                    connection.execute(fail, params![id, words])?;
                }
            }
            let ready = "UPDATE rows SET stage = 'ready' WHERE stage = 'waiting' AND id IN \
                         (SELECT row FROM requests WHERE batch = ?1 AND outcome IS NOT NULL)";
            connection.execute(ready, [id])?;
            let stage = Stage::Collected.name();
            connection
                .execute("UPDATE batches SET stage = ?2 WHERE id = ?1 AND target = ?3", params![id, stage, target])?;
            Ok(left)
        })
    }

    /// Gives the requests of a batch back that was never created.
    pub(super) fn dissolve(&self, id: i64) -> BatchResult<()> {
        self.write_safely(|connection| {
            connection.execute("UPDATE requests SET batch = NULL WHERE batch = ?1 AND outcome IS NULL", [id])?;
            connection.execute("DELETE FROM batches WHERE id = ?1", [id]).map(drop)
        })
    }

    /// Gives the requests of batches back of which nothing was sent.
    pub(super) fn dissolve_unsent(&self) -> BatchResult<()> {
        self.write(|connection| {
            connection.execute_batch(
                "UPDATE requests SET batch = NULL WHERE outcome IS NULL
                   AND batch IN (SELECT id FROM batches WHERE stage = 'made');
                 DELETE FROM batches WHERE stage = 'made';",
            )
        })
    }

    pub(super) fn forget_batch(&self, id: i64) -> BatchResult<()> {
        self.write(|connection| connection.execute("DELETE FROM batches WHERE id = ?1", [id]).map(drop))
    }

    fn damaged(&self, what: &str) -> super::state::StateError {
        let message = format!("{} is damaged: {what}", self.path().display());
        Box::new(lmthing_base::diagnostic::Diagnostic::new(message))
    }
}

impl Shipment {
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled != Cancelled::No
    }

    fn unanswered(&self) -> Unanswered {
        match &self.status.phase {
            BatchPhase::Cancelled => Unanswered::GiveBack { is_held: !self.is_cancelled() },
            BatchPhase::Gone if self.is_cancelled() => Unanswered::GiveBack { is_held: false },
            BatchPhase::Failed { is_queue_full: true, .. } => Unanswered::GiveBack { is_held: false },
            BatchPhase::Failed { reason, .. } => Unanswered::Fail(reason.clone()),
            BatchPhase::Gone => {
                Unanswered::Fail(format!("the provider does not have the results of batch {} any more", self.name()))
            }
            BatchPhase::Expired => Unanswered::Fail(format!("the batch {} was not answered in time", self.name())),
            BatchPhase::InProgress | BatchPhase::Completed => Unanswered::Fail(MISSING.to_owned()),
        }
    }

    /// The name at the provider, or that of the file before it has one.
    pub(super) fn name(&self) -> &str {
        self.remote.as_ref().unwrap_or(&self.new.name)
    }
}

impl Stage {
    fn name(self) -> &'static str {
        STAGES.iter().find(|(stage, _)| *stage == self).map_or("made", |(_, name)| name)
    }
}

/// The id of a request. It is unique among the requests of all batches, so that no other program has a batch with it.
pub(super) fn custom_id(name: &str, batch: i64, request: i64) -> String {
    format!("{name}-{batch}-{request}")
}

fn request_of(name: &str, batch: i64, custom_id: &str) -> Option<i64> {
    custom_id.strip_prefix(name)?.strip_prefix(&format!("-{batch}-"))?.parse().ok()
}

fn next_requests(connection: &Connection, target: i64, limits: BatchLimits) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT id, bytes FROM requests WHERE batch IS NULL AND outcome IS NULL AND held = 0 AND target = ?1 \
               ORDER BY id LIMIT ?2";
    let most = number(limits.requests as u64);
    let (mut ids, mut bytes) = (Vec::new(), 0);
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![target, most])?;
    while let Some(row) = rows.next()? {
        bytes += unsigned(row.get(1)?) + LINE_OVERHEAD;
        // One that is too large alone is refused by the provider, with its words.
        if bytes > limits.bytes && !ids.is_empty() {
            break;
        }
        ids.push(row.get(0)?);
    }
    Ok(ids)
}

fn shipment(row: &Row<'_>) -> rusqlite::Result<Shipment> {
    let (new, stage): (String, String) = (row.get(2)?, row.get(3)?);
    let status: Option<String> = row.get(6)?;
    let unreadable = |error| rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, Box::new(error));
    Ok(Shipment {
        id: row.get(0)?,
        target: row.get(1)?,
        new: serde_json::from_str(&new).map_err(unreadable)?,
        stage: STAGES.iter().find(|(_, name)| *name == stage).map_or(Stage::Made, |(stage, _)| *stage),
        file: row.get(4)?,
        remote: row.get(5)?,
        status: status.and_then(|status| serde_json::from_str(&status).ok()).unwrap_or_default(),
        cancelled: match row.get::<_, u8>(7)? {
            0 => Cancelled::No,
            1 => Cancelled::Begun,
            _ => Cancelled::Done,
        },
    })
}

/// The lines of a batch, for the thread that uploads them: the id, the model and the body of each request.
pub(super) fn each_request(
    connection: &Connection,
    batch: i64,
    mut on: impl FnMut(i64, String, String) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let sql = "SELECT id, model, body FROM requests WHERE batch = ?1 AND body IS NOT NULL ORDER BY id";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([batch])?;
    while let Some(row) = rows.next()? {
        on(row.get(0)?, row.get(1)?, row.get(2)?)?;
    }
    Ok(())
}
