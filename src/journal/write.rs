//! A run is written down: its beginning, what happens, its end, and by whom. Must not know what an event or an entry is.

use rusqlite::{Connection, Transaction, TransactionBehavior, named_params, params};

use super::{
    error::JournalError,
    file::Journal,
    numbers::{now, of_usize, places, signed},
    owner::Owner,
    runs::{Origin, RunInfo, Status},
    stored::Start,
};
use crate::event::Sums;

/// The right to write down a run, which one process has.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    pub(super) number: i64,
    /// The process, as the table has it.
    pub(super) owner: String,
    /// The next free place.
    next: i64,
}

/// What is written at once.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// New agents.
    pub(super) agents: Vec<(u64, String)>,
    /// Lines of events.
    pub(super) lines: Vec<String>,
    /// An entry, with the key of its prompt's run.
    pub(super) entry: Option<(String, String)>,
}

/// What the list of runs tells of a run.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) sums: Sums,
    pub(super) model: Option<String>,
    /// How it ended, and what went wrong.
    pub(super) end: Option<(Status, Option<String>)>,
}

impl Lease {
    /// The places that are free.
    #[cfg(feature = "worker")]
    pub(super) fn places(&self) -> impl Iterator<Item = i64> {
        places(self.number).start.saturating_add(self.next)..
    }

    fn take_place(&mut self) -> i64 {
        self.next += 1;
        places(self.number).start.saturating_add(self.next - 1)
    }
}

impl Journal {
    /// Begins a run of this name, that has begun at this time already.
    pub(super) fn begin(
        &self,
        id: &str,
        began: Option<u64>,
        start: &Start,
        origin: Option<&Origin>,
    ) -> Result<Lease, JournalError> {
        let owner = this_process();
        let start_text = serde_json::to_string(start).unwrap_or_default();
        let origin = origin.and_then(|origin| serde_json::to_string(origin).ok());
        let number = self.at_once(|transaction| {
            let time = signed(now());
            transaction
                .prepare_cached(
                    "INSERT INTO runs (id, file, started, updated, status, origin, owner, heartbeat) \
                     VALUES (?1, ?2, ?7, ?3, ?4, ?5, ?6, ?3)",
                )?
                .execute(params![
                    id,
                    start.file.to_string_lossy(),
                    time,
                    Status::Running.as_str(),
                    origin,
                    owner,
                    began.map_or(time, signed)
                ])?;
            let number = transaction.last_insert_rowid();
            transaction
                .prepare_cached("INSERT INTO starts (run, start) VALUES (?1, ?2)")?
                .execute(params![number, start_text])?;
            Ok(number)
        })?;
        Ok(Lease { number, owner, next: 0 })
    }

    /// Takes over a run that no process runs any more.
    ///
    /// # Errors
    /// One does.
    pub(super) fn take_over(&self, read: &RunInfo) -> Result<Lease, JournalError> {
        let transaction = self.check(Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate))?;
        let Some(run) = self.of_number(read.number)? else {
            return Err(JournalError::new(format!("the run {} was forgotten", read.id)));
        };
        if run.status == Status::Running {
            return Err(run.is_run());
        }
        // What was read of it before would be asked and done again.
        if run.updated != read.updated {
            let message = format!("the run {} has gone on in another process meanwhile", run.id);
            return Err(JournalError::new(message).with_hint(format!("lmthing resume {} looks again", run.id)));
        }
        let owner = this_process();
        let taken = transaction.execute(
            "UPDATE runs SET status = ?2, owner = ?3, heartbeat = ?4, updated = ?4, ended = NULL, error = NULL \
             WHERE number = ?1",
            params![run.number, Status::Running.as_str(), owner, signed(now())],
        );
        self.check(taken)?;
        let next = self.check(next_place(&transaction, run.number))?;
        self.check(transaction.commit())?;
        Ok(Lease { number: run.number, owner, next })
    }

    /// Writes down what happened: all of it or nothing.
    ///
    /// # Errors
    /// It cannot be written, or another process has taken over the run.
    pub(super) fn write(&self, lease: &mut Lease, batch: &Batch, figures: &Figures) -> Result<(), JournalError> {
        self.check_place()?;
        let before = lease.next;
        let written = self.at_once(|transaction| {
            for (number, key) in &batch.agents {
                transaction
                    .prepare_cached("INSERT OR IGNORE INTO agents (run, number, key) VALUES (?1, ?2, ?3)")?
                    .execute(params![lease.number, signed(*number), key])?;
            }
            for line in &batch.lines {
                transaction
                    .prepare_cached("INSERT INTO events (at, line) VALUES (?1, ?2)")?
                    .execute(params![lease.take_place(), line])?;
            }
            if let Some((key, entry)) = &batch.entry {
                transaction
                    .prepare_cached("INSERT INTO entries (at, key, entry) VALUES (?1, ?2, ?3)")?
                    .execute(params![lease.take_place(), key, entry])?;
            }
            write_figures(transaction, lease, figures)
        });
        if written.is_err() {
            lease.next = before;
        }
        written
    }

    /// The same right, when something was written by other ways.
    pub(super) fn behind_everything(&self, lease: Lease) -> Result<Lease, JournalError> {
        let next = self.check(next_place(&self.connection, lease.number))?;
        Ok(Lease { next, ..lease })
    }

    /// Says that the process is there.
    pub(super) fn beat(&self, number: i64, owner: &str) -> Result<(), JournalError> {
        let beaten = self.connection.execute(
            "UPDATE runs SET heartbeat = ?3 WHERE number = ?1 AND owner = ?2",
            params![number, owner, signed(now())],
        );
        self.check(beaten).map(drop)
    }

    /// Does several things of which others see all or nothing.
    pub(super) fn at_once<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        let done = || {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        self.check(done())
    }
}

/// Writes the sums. Fails, and writes nothing, when another process has taken over the run, or another thread has written its end.
fn write_figures(transaction: &Transaction<'_>, lease: &Lease, figures: &Figures) -> rusqlite::Result<()> {
    let Figures { sums, model, end } = figures;
    let (status, error) = match end {
        Some((status, error)) => (*status, error.as_deref()),
        None => (Status::Running, None),
    };
    let time = signed(now());
    let mut statement = transaction.prepare_cached(
        "UPDATE runs SET updated = :time, heartbeat = :time, ended = :ended, status = :status, steps = :steps, \
         all_steps = :all_steps, usage = :usage, cost = :cost, cost_unknown = :unknown, \
         model = coalesce(:model, model), error = :error WHERE number = :number AND owner = :owner \
         AND (:ended IS NOT NULL OR ended IS NULL)",
    )?;
    let count = statement.execute(named_params! {
        ":time": time,
        ":ended": end.is_some().then_some(time),
        ":status": status.as_str(),
        ":steps": of_usize(sums.steps),
        ":all_steps": of_usize(sums.all_steps),
        ":usage": serde_json::to_string(&sums.usage).unwrap_or_default(),
        ":cost": sums.known_cost,
        ":unknown": sums.is_cost_unknown,
        ":model": model,
        ":error": error,
        ":number": lease.number,
        ":owner": lease.owner,
    })?;
    if count == 1 { Ok(()) } else { Err(rusqlite::Error::StatementChangedRows(count)) }
}

/// The first place behind everything that is there of a run.
fn next_place(connection: &Connection, number: i64) -> rusqlite::Result<i64> {
    let last = |table: &str| {
        let sql = format!("SELECT max(at) FROM {table} WHERE at >= ?1 AND at < ?2");
        let places = places(number);
        connection.query_row(&sql, [places.start, places.end], |row| row.get::<_, Option<i64>>(0))
    };
    let last = last("events")?.max(last("entries")?);
    Ok(last.map_or(0, |at| at - places(number).start + 1))
}

fn this_process() -> String {
    serde_json::to_string(&Owner::this()).unwrap_or_default()
}
