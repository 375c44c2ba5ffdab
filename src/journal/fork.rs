//! A run that begins with the first steps of another one (`resume --from`), and runs that are forgotten. Must not know what
//! steps are for.

use rusqlite::{Transaction, params};
use serde_json::Value;

use super::{
    error::JournalError,
    file::Journal,
    numbers::{now, of_usize, places},
    runs::{Origin, RunInfo, Status},
    stored::STEP_ENDS,
    write::Lease,
};
use crate::{
    checkpoint::{self, Answered, is_before},
    event::Sums,
};

/// How many runs are forgotten at once: others want to write meanwhile.
const AT_ONCE: usize = 50;

/// An entry with its place and its key.
pub(super) type Entry = (i64, String, String);

impl Journal {
    /// Begins a run of this name with everything that was done in another one before it asked for the answer of `step`.
    /// `sums` are what that has used.
    pub(super) fn fork(&self, run: &RunInfo, step: usize, id: &str, sums: &Sums) -> Result<Lease, JournalError> {
        let (entries, end) = self.entries_before(run, step)?;
        let lines_end = self.beginning_of(run, step)?.unwrap_or(end);
        let start = self.start(run)?;
        let lease = self.begin(id, None, &start, Some(&Origin { run: run.id.clone(), step }))?;
        self.copy(run, &lease, (&entries, lines_end), sums)?;
        self.behind_everything(lease)
    }

    /// What was done in a run before it asked for the answer of `step`, and the place where that is over.
    pub(super) fn entries_before(&self, run: &RunInfo, step: usize) -> Result<(Vec<Entry>, i64), JournalError> {
        let mut entries = self.entries(run.number)?;
        let steps: Vec<_> = entries.iter().filter_map(own_step).collect();
        // What could not be gone on from was begun once more.
        let begun = steps.iter().rposition(|(_, number)| *number == 0).unwrap_or(0);
        let end = steps[begun..].iter().find(|(_, number)| *number >= step).map(|(at, _)| *at);
        let asked = steps.last().map_or(0, |(_, number)| number + 1);
        if end.is_none() && asked < step {
            return Err(too_far(run, step, asked));
        }
        let end = end.unwrap_or(places(run.number).end);
        // What was done behind the last step that is over was done on the way to the answer that is asked for again.
        let is_end = |(at, key, text): &&Entry| key.is_empty() && *at < end && text.starts_with(STEP_ENDS);
        let over = entries.iter().filter(is_end).map(|(at, ..)| *at).next_back().filter(|_| step > 0);
        entries.retain(|(at, key, _)| match key.is_empty() {
            true => over.is_some_and(|over| *at <= over),
            false => is_before(key, step),
        });
        Ok((entries, end))
    }

    /// Copies entries, lines up to `lines_end`, and the numbers of agents.
    fn copy(
        &self,
        run: &RunInfo,
        lease: &Lease,
        (entries, lines_end): (&[Entry], i64),
        sums: &Sums,
    ) -> Result<(), JournalError> {
        let (old, new) = (places(run.number).start, places(lease.number).start);
        self.at_once(|transaction| {
            for (at, key, entry) in entries {
                transaction
                    .prepare_cached("INSERT INTO entries (at, key, entry) VALUES (?1, ?2, ?3)")?
                    .execute(params![at - old + new, key, entry])?;
            }
            transaction.execute(
                "INSERT INTO events (at, line) \
                 SELECT at - ?1 + ?2, line FROM events WHERE at >= ?1 AND at < ?3",
                [old, new, lines_end],
            )?;
            transaction.execute(
                "INSERT INTO agents (run, number, key) SELECT ?2, number, key FROM agents WHERE run = ?1",
                [run.number, lease.number],
            )?;
            transaction.execute(
                "UPDATE runs SET model = ?2, steps = ?3, all_steps = ?4, usage = ?5, cost = ?6, cost_unknown = ?7 \
                 WHERE number = ?1",
                params![
                    lease.number,
                    run.model,
                    of_usize(sums.steps),
                    of_usize(sums.all_steps),
                    serde_json::to_string(&sums.usage).unwrap_or_default(),
                    sums.known_cost,
                    sums.is_cost_unknown,
                ],
            )?;
            Ok(())
        })
    }

    /// The place of the line that says that the file's own prompt begins a step.
    pub(super) fn beginning_of(&self, run: &RunInfo, step: usize) -> Result<Option<i64>, JournalError> {
        let places = places(run.number);
        let read = || {
            let sql = "SELECT at, line FROM events WHERE at >= ?1 AND at < ?2 \
                       AND line LIKE '{\"type\":\"step-start\"%' ORDER BY at";
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query([places.start, places.end])?;
            while let Some(row) = rows.next()? {
                let line: String = row.get(1)?;
                let line: Value = serde_json::from_str(&line).unwrap_or_default();
                let is_own = line["agent"].as_array().is_some_and(Vec::is_empty);
                if is_own && line["step"].as_u64() == Some(step as u64) {
                    return row.get(0).map(Some);
                }
            }
            Ok(None)
        };
        self.check(read())
    }

    /// The runs of which nothing was written for so many milliseconds, and which no process runs.
    ///
    /// # Errors
    /// The file is damaged.
    pub(crate) fn older_than(&self, age: u64) -> Result<Vec<RunInfo>, JournalError> {
        let mut runs = self.runs()?;
        let limit = now().saturating_sub(age);
        runs.retain(|run| run.status != Status::Running && run.updated <= limit);
        Ok(runs)
    }

    /// Forgets runs, and gives their room back.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn forget(&self, runs: &[RunInfo]) -> Result<(), JournalError> {
        for some in runs.chunks(AT_ONCE) {
            self.at_once(|transaction| some.iter().try_for_each(|run| forget_run(transaction, run)))?;
        }
        // While somebody else uses the file, who must not be kept waiting, its room is used again by what comes next.
        if !self.runs()?.iter().any(|run| run.status == Status::Running) {
            let _ = self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        }
        Ok(())
    }
}

/// Takes a run out of all tables.
pub(super) fn forget_run(transaction: &Transaction<'_>, run: &RunInfo) -> rusqlite::Result<()> {
    let places = places(run.number);
    for table in ["events", "entries"] {
        let sql = format!("DELETE FROM {table} WHERE at >= ?1 AND at < ?2");
        transaction.prepare_cached(&sql)?.execute([places.start, places.end])?;
    }
    for sql in
        ["DELETE FROM agents WHERE run = ?1", "DELETE FROM starts WHERE run = ?1", "DELETE FROM runs WHERE number = ?1"]
    {
        transaction.prepare_cached(sql)?.execute([run.number])?;
    }
    Ok(())
}

/// The place and the number of a step of the file's own prompt that was answered. What is wrong with an entry is found by
/// whoever goes on from it.
fn own_step((at, key, text): &Entry) -> Option<(i64, usize)> {
    let answered = if key.is_empty() { answered(text) } else { None };
    answered.map(|answered| (*at, answered.step))
}

fn answered(text: &str) -> Option<Answered> {
    match serde_json::from_str(text) {
        Ok(checkpoint::Entry::Answered(answered)) => Some(*answered),
        _ => None,
    }
}

/// A run has not come to a step.
fn too_far(run: &RunInfo, step: usize, asked: usize) -> JournalError {
    let message = format!("the run {} has not come to step {step}", run.id);
    let error = JournalError::new(message);
    match asked {
        0 => error.with_hint("it has no step that was answered; `lmthing resume` without --from begins it again"),
        _ => error.with_hint(format!("steps are counted from 0; the last one to go back to is {asked}")),
    }
}
