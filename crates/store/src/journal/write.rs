//! Writes runs: their start, entries and events, their end, and the process that owns them.

use rusqlite::{Connection, Transaction, TransactionBehavior, named_params, params};

use super::{
    contents::store_contents,
    error::JournalError,
    file::Journal,
    numbers::{count_to_sql, now, position_range, to_sql},
    owner::OwnerProcess,
    runs::{ForkOrigin, RunInfo, RunStatus},
    stored::RunStart,
};
use lmthing_base::event::RunTotals;

/// The exclusive right of one process to write a run.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) number: i64,
    /// The process, as stored in the table.
    pub(super) owner: String,
    /// The next free position, relative to the run.
    next: i64,
}

/// How a process comes to write a run.
pub(super) enum Beginning {
    /// A new run: its id, its start in milliseconds since 1970, and how it was started.
    New { id: String, began: Option<u64>, start: RunStart },
    /// The run of an earlier process continues.
    Continued(Box<RunInfo>),
    /// A new run with this id, from the part of another before a step; and its usage so far.
    Forked { run: Box<RunInfo>, step: usize, id: String, sums: RunTotals },
}

#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) agents: Vec<(u64, String)>,
    /// Events as lines of JSON.
    pub(super) lines: Vec<String>,
    /// An entry, with the key of its prompt's run.
    pub(super) entry: Option<(String, String)>,
}

impl Batch {
    /// About how many bytes it takes.
    pub(super) fn size(&self) -> usize {
        let lines: usize = self.lines.iter().map(String::len).sum();
        lines + self.entry.as_ref().map_or(0, |(key, text)| key.len() + text.len())
    }
}

#[derive(Debug, Default)]
pub(super) struct RunRow {
    pub(super) sums: RunTotals,
    pub(super) model: Option<String>,
    /// The status at the end, and the error.
    pub(super) end: Option<(RunStatus, Option<String>)>,
}

impl Lease {
    pub(super) fn free_positions(&self) -> impl Iterator<Item = i64> {
        position_range(self.number).start.saturating_add(self.next)..
    }

    fn next_position(&mut self) -> i64 {
        self.next += 1;
        position_range(self.number).start.saturating_add(self.next - 1)
    }
}

impl Journal {
    /// Makes this process the one that writes the run.
    pub(super) fn enter(&self, beginning: &Beginning) -> Result<Lease, JournalError> {
        match beginning {
            Beginning::New { id, began, start } => self.begin(id, *began, start, None),
            Beginning::Continued(run) => self.take_over(run),
            Beginning::Forked { run, step, id, sums } => self.fork(run, *step, id, sums),
        }
    }

    pub(super) fn begin(
        &self,
        id: &str,
        began: Option<u64>,
        start: &RunStart,
        origin: Option<&ForkOrigin>,
    ) -> Result<Lease, JournalError> {
        let owner = this_process();
        let start_text = serde_json::to_string(start).unwrap_or_default();
        let origin = origin.and_then(|origin| serde_json::to_string(origin).ok());
        let number = self.in_transaction(|transaction| {
            let time = to_sql(now());
            transaction
                .prepare_cached(
                    "INSERT INTO runs (id, file, started, updated, status, origin, owner, heartbeat) \
                     VALUES (?1, ?2, ?7, ?3, ?4, ?5, ?6, ?3)",
                )?
                .execute(params![
                    id,
                    start.file.to_string_lossy(),
                    time,
                    RunStatus::Running.as_str(),
                    origin,
                    owner,
                    began.map_or(time, to_sql)
                ])?;
            let number = transaction.last_insert_rowid();
            let start_text = store_contents(transaction, number, &start_text)?;
            transaction
                .prepare_cached("INSERT INTO starts (run, start) VALUES (?1, ?2)")?
                .execute(params![number, start_text])?;
            Ok(number)
        })?;
        Ok(Lease { number, owner, next: 0 })
    }

    /// Takes over a run. Fails if another process still runs it.
    fn take_over(&self, read: &RunInfo) -> Result<Lease, JournalError> {
        let transaction = self.check(Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate))?;
        let Some(run) = self.run_with_number(read.number)? else {
            return Err(JournalError::new(format!("the run {} was forgotten", read.id)));
        };
        if run.status == RunStatus::Running {
            return Err(run.running_error());
        }
        // Otherwise the changes since it was read would be requested and done again.
        if run.updated != read.updated {
            let message = format!("the run {} has gone on in another process meanwhile", run.id);
            return Err(JournalError::new(message).with_hint(format!("lmthing resume {} looks again", run.id)));
        }
        let owner = this_process();
        let taken = transaction.execute(
            "UPDATE runs SET status = ?2, owner = ?3, heartbeat = ?4, updated = ?4, ended = NULL, error = NULL \
             WHERE number = ?1",
            params![run.number, RunStatus::Running.as_str(), owner, to_sql(now())],
        );
        self.check(taken)?;
        let next = self.check(next_place(&transaction, run.number))?;
        self.check(transaction.commit())?;
        Ok(Lease { number: run.number, owner, next })
    }

    /// Writes a batch completely or not at all. Fails if another process has taken over the run.
    pub(super) fn write(&self, lease: &mut Lease, batch: &Batch, figures: &RunRow) -> Result<(), JournalError> {
        self.check_identity()?;
        let before = lease.next;
        let written = self.in_transaction(|transaction| {
            for (number, key) in &batch.agents {
                transaction
                    .prepare_cached("INSERT OR IGNORE INTO agents (run, number, key) VALUES (?1, ?2, ?3)")?
                    .execute(params![lease.number, to_sql(*number), key])?;
            }
            for line in &batch.lines {
                let line = store_contents(transaction, lease.number, line)?;
                transaction
                    .prepare_cached("INSERT INTO events (at, line) VALUES (?1, ?2)")?
                    .execute(params![lease.next_position(), line])?;
            }
            if let Some((key, entry)) = &batch.entry {
                write_entry(transaction, lease.number, (lease.next_position(), key, entry))?;
            }
            write_figures(transaction, lease, figures)
        });
        if written.is_err() {
            lease.next = before;
        }
        written
    }

    pub(super) fn after_all_entries(&self, lease: Lease) -> Result<Lease, JournalError> {
        let next = self.check(next_place(&self.connection, lease.number))?;
        Ok(Lease { next, ..lease })
    }

    /// Updates the heartbeat of the process.
    pub(super) fn beat(&self, lease: &Lease) -> Result<(), JournalError> {
        let beaten = self.connection.execute(
            "UPDATE runs SET heartbeat = ?3 WHERE number = ?1 AND owner = ?2",
            params![lease.number, lease.owner, to_sql(now())],
        );
        self.check(beaten).map(drop)
    }

    pub(super) fn in_transaction<T>(
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

pub(super) fn write_entry(
    connection: &Connection,
    run: i64,
    (at, key, text): (i64, &str, &str),
) -> rusqlite::Result<()> {
    let text = store_contents(connection, run, text)?;
    let mut statement = connection.prepare_cached("INSERT INTO entries (at, key, entry) VALUES (?1, ?2, ?3)")?;
    statement.execute(params![at, key, text]).map(drop)
}

/// Updates the run's row. Fails if another process has taken over the run, or another thread has written its end.
fn write_figures(transaction: &Transaction<'_>, lease: &Lease, figures: &RunRow) -> rusqlite::Result<()> {
    let RunRow { sums, model, end } = figures;
    let (status, error) = match end {
        Some((status, error)) => (*status, error.as_deref()),
        None => (RunStatus::Running, None),
    };
    let time = to_sql(now());
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
        ":steps": count_to_sql(sums.steps),
        ":all_steps": count_to_sql(sums.all_steps),
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

/// The first position after everything that is stored of a run.
fn next_place(connection: &Connection, number: i64) -> rusqlite::Result<i64> {
    let last = |table: &str| {
        let sql = format!("SELECT max(at) FROM {table} WHERE at >= ?1 AND at < ?2");
        let places = position_range(number);
        connection.query_row(&sql, [places.start, places.end], |row| row.get::<_, Option<i64>>(0))
    };
    let last = last("events")?.max(last("entries")?);
    Ok(last.map_or(0, |at| at - position_range(number).start + 1))
}

fn this_process() -> String {
    serde_json::to_string(&OwnerProcess::this()).unwrap_or_default()
}
