//! Creates a run from the first steps of another (`resume --from`), and deletes runs.

use rusqlite::{Transaction, params};
use serde_json::Value;

use super::{
    contents::with_contents,
    error::JournalError,
    file::Journal,
    numbers::{count_to_sql, now, position_range},
    runs::{ForkOrigin, RunInfo, RunStatus},
    stored::{SAY, TO_SAY},
    write::{Lease, write_entry},
};
use lmthing_base::{
    checkpoint::{self, AnswerEntry, is_log_before},
    event::RunTotals,
};

/// How many runs are deleted per transaction, so that other processes can write in between.
const RUNS_PER_TRANSACTION: usize = 50;

pub(super) type StoredEntry = (i64, String, String);

impl Journal {
    /// Creates a run named `id` with everything that `run` did before it requested the answer of `step`. `totals` are its usage.
    pub(super) fn fork(&self, run: &RunInfo, step: usize, id: &str, sums: &RunTotals) -> Result<Lease, JournalError> {
        let (mut entries, end) = self.entries_before(run, step)?;
        let lines_end = self.beginning_of(run, step)?.unwrap_or(end);
        // What is left to be said is written again.
        entries.retain(|(_, _, text)| !text.starts_with(TO_SAY));
        let mut start = self.start(run)?;
        start.options.remove(SAY);
        let lease = self.begin(id, None, &start, Some(&ForkOrigin { run: run.id.clone(), step }))?;
        self.copy(run, &lease, (&entries, lines_end), sums)?;
        self.after_all_entries(lease)
    }

    /// The entries of a run before the request of `step`, and the position where that part ends.
    pub(super) fn entries_before(&self, run: &RunInfo, step: usize) -> Result<(Vec<StoredEntry>, i64), JournalError> {
        let mut entries = self.entries(run.number)?;
        let steps: Vec<_> = entries.iter().filter_map(own_step).collect();
        // A run that could not be resumed was restarted.
        let started = steps.iter().rposition(|(_, number)| *number == 0).unwrap_or(0);
        let end = steps[started..].iter().find(|(_, number)| *number >= step).map(|(at, _)| *at);
        let asked = steps.last().map_or(0, |(_, number)| number + 1);
        if end.is_none() && asked < step {
            return Err(step_not_reached(run, step, asked));
        }
        let end = end.unwrap_or(position_range(run.number).end);
        // Entries after the last finished step, and after what the user said then, belong to the answer that is requested
        // again. Before step 0 only the user may have said something.
        let is_end = |(at, key, text): &&StoredEntry| {
            key.is_empty() && *at < end && (begins_turn(text) || step > 0 && ends_step(text))
        };
        let over = entries.iter().filter(is_end).map(|(at, ..)| *at).next_back();
        entries.retain(|(at, key, _)| match key.is_empty() {
            true => over.is_some_and(|over| *at <= over),
            false => is_log_before(key, step),
        });
        Ok((entries, end))
    }

    /// Copies entries, events up to `lines_end`, and the numbers of agents.
    fn copy(
        &self,
        run: &RunInfo,
        lease: &Lease,
        (entries, lines_end): (&[StoredEntry], i64),
        sums: &RunTotals,
    ) -> Result<(), JournalError> {
        let (old, new) = (position_range(run.number).start, position_range(lease.number).start);
        self.in_transaction(|transaction| {
            // With the same numbers, as events refer to them.
            transaction.execute(
                "INSERT OR REPLACE INTO contents (run, length, number, content) \
                 SELECT ?2, length, number, content FROM contents WHERE run = ?1",
                [run.number, lease.number],
            )?;
            for (at, key, entry) in entries {
                write_entry(transaction, lease.number, (at - old + new, key, entry))?;
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
                    count_to_sql(sums.steps),
                    count_to_sql(sums.all_steps),
                    serde_json::to_string(&sums.usage).unwrap_or_default(),
                    sums.known_cost,
                    sums.is_cost_unknown,
                ],
            )?;
            Ok(())
        })
    }

    /// The position of the event that starts a step of the file's own prompt.
    pub(super) fn beginning_of(&self, run: &RunInfo, step: usize) -> Result<Option<i64>, JournalError> {
        let places = position_range(run.number);
        let read = || {
            let sql = "SELECT at, line FROM events WHERE at >= ?1 AND at < ?2 \
                       AND (line LIKE '{\"type\":\"step-start\"%' OR line LIKE '{\"type\":\"taken-back\"%') ORDER BY at";
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query([places.start, places.end])?;
            let mut beginning = None;
            while let Some(row) = rows.next()? {
                let line: String = row.get(1)?;
                let line = with_contents(&self.connection, run.number, &line)?;
                let line: Value = serde_json::from_str(&line).unwrap_or_default();
                let is_own = line["agent"].as_array().is_some_and(Vec::is_empty);
                let number = line["step"].as_u64();
                if line["type"] == "taken-back" {
                    // The step is another one from here on.
                    beginning = beginning.filter(|_| number > Some(step as u64));
                } else if is_own && number == Some(step as u64) && beginning.is_none() {
                    beginning = row.get(0).map(Some)?;
                }
            }
            Ok(beginning)
        };
        self.check(read())
    }

    /// The runs that have not been written to for `age` milliseconds and that no process runs.
    pub fn older_than(&self, age: u64) -> Result<Vec<RunInfo>, JournalError> {
        let mut runs = self.runs()?;
        let limit = now().saturating_sub(age);
        runs.retain(|run| run.status != RunStatus::Running && run.updated <= limit);
        Ok(runs)
    }

    /// Deletes runs, and frees their space in the file.
    pub fn forget(&self, runs: &[RunInfo]) -> Result<(), JournalError> {
        for some in runs.chunks(RUNS_PER_TRANSACTION) {
            self.in_transaction(|transaction| some.iter().try_for_each(|run| forget_run(transaction, run)))?;
        }
        // While another process uses the file, which must not wait, the space is only reused.
        if !self.runs()?.iter().any(|run| run.status == RunStatus::Running) {
            let _ = self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        }
        Ok(())
    }
}

pub(super) fn forget_run(transaction: &Transaction<'_>, run: &RunInfo) -> rusqlite::Result<()> {
    let places = position_range(run.number);
    for table in ["events", "entries"] {
        let sql = format!("DELETE FROM {table} WHERE at >= ?1 AND at < ?2");
        transaction.prepare_cached(&sql)?.execute([places.start, places.end])?;
    }
    for sql in [
        "DELETE FROM contents WHERE run = ?1",
        "DELETE FROM agents WHERE run = ?1",
        "DELETE FROM starts WHERE run = ?1",
        "DELETE FROM runs WHERE number = ?1",
    ] {
        transaction.prepare_cached(sql)?.execute([run.number])?;
    }
    Ok(())
}

/// The position and number of an answered step of the file's own prompt. Invalid entries are reported when the run is resumed.
fn own_step((at, key, text): &StoredEntry) -> Option<(i64, usize)> {
    let answered = if key.is_empty() { answered(text) } else { None };
    answered.map(|answered| (*at, answered.step))
}

fn answered(text: &str) -> Option<AnswerEntry> {
    match serde_json::from_str(text) {
        Ok(checkpoint::Entry::Answered(answered)) => Some(*answered),
        _ => None,
    }
}

fn begins_turn(text: &str) -> bool {
    matches!(serde_json::from_str(text), Ok(checkpoint::Entry::Said { .. }))
}

fn ends_step(text: &str) -> bool {
    matches!(serde_json::from_str(text), Ok(checkpoint::Entry::StepEnds { .. }))
}

fn step_not_reached(run: &RunInfo, step: usize, asked: usize) -> JournalError {
    let message = format!("the run {} has not come to step {step}", run.id);
    let error = JournalError::new(message);
    match asked {
        0 => error.with_hint("it has no step that was answered; `lmthing resume` without --from begins it again"),
        _ => error.with_hint(format!("steps are counted from 0; the last one to go back to is {asked}")),
    }
}
