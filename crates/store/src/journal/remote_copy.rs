//! Synchronizes a run with a copy of its entries that other machines use.

use rusqlite::params;

use super::{
    earlier_run::total_usage,
    error::JournalError,
    file::Journal,
    fork::forget_run,
    numbers::{now, to_sql},
    owner::OwnerProcess,
    read::{PromptLogs, parse_logs},
    runs::{RunInfo, RunStatus},
    stored::{RunStart, is_step_over},
    write::write_entry,
};
use lmthing_base::event::RunTotals;

impl Journal {
    pub fn named(&self, id: &str) -> Result<Option<RunInfo>, JournalError> {
        Ok(self.select("WHERE id = ?1", [id])?.pop())
    }

    /// The entries of a run: key, text, and whether the entry ends a step.
    pub fn entries_of(&self, run: &RunInfo) -> Result<Vec<(String, String, bool)>, JournalError> {
        let entries = self.entries(run.number)?.into_iter();
        Ok(entries
            .map(|(_, key, text)| {
                let is_over = serde_json::from_str(&text).is_ok_and(|entry| is_step_over(&key, &entry));
                (key, text, is_over)
            })
            .collect())
    }

    /// Releases a run that this process owns. The caller knows that the process does not run it, or that its thread is stuck, which
    /// cannot write any more after this.
    pub fn release(&self, run: &RunInfo) -> Result<(), JournalError> {
        if run.status != RunStatus::Running || !run.owner.as_ref().is_some_and(OwnerProcess::is_this) {
            return Ok(());
        }
        let sql = "UPDATE runs SET status = ?2, owner = NULL, ended = ?3, updated = ?3 WHERE number = ?1";
        let given_up = params![run.number, RunStatus::Interrupted.as_str(), to_sql(now())];
        self.check(self.connection.execute(sql, given_up)).map(drop)
    }

    /// Replaces a run by entries that another process wrote. No process owns it yet.
    ///
    /// # Errors
    /// The journal cannot be written, or the entries are invalid.
    pub fn replace_run(&self, id: &str, start: &RunStart, entries: &[(String, String)]) -> Result<(), JournalError> {
        let logs: PromptLogs = parse_logs(entries.iter().map(|(key, text)| (key.clone(), text.as_str())))
            .map_err(|error| JournalError::new(format!("an entry of the run {id} cannot be read: {error}")))?;
        let sums = total_usage(&logs);
        let old = self.named(id)?;
        if let Some(old) = &old {
            self.in_transaction(|transaction| forget_run(transaction, old))?;
        }
        let lease = self.begin(id, None, start, None)?;
        self.in_transaction(|transaction| {
            for (at, (key, text)) in lease.free_positions().zip(entries) {
                write_entry(transaction, lease.number, (at, key, text))?;
            }
            let time = to_sql(now());
            transaction.execute(
                "UPDATE runs SET status = ?2, ended = ?3, updated = ?3, usage = ?4, cost = ?5, cost_unknown = ?6 \
                 WHERE number = ?1",
                params![
                    lease.number,
                    RunStatus::Interrupted.as_str(),
                    time,
                    serde_json::to_string(&sums.usage).unwrap_or_default(),
                    sums.known_cost,
                    sums.is_cost_unknown,
                ],
            )?;
            Ok(())
        })
    }
}

/// The usage according to entries; zero if they are invalid.
pub fn usage_of_entries(entries: &[(String, String)]) -> RunTotals {
    let logs = parse_logs(entries.iter().map(|(key, text)| (key.clone(), text.as_str())));
    logs.map(|logs| total_usage(&logs)).unwrap_or_default()
}
