//! A run whose entries are kept elsewhere as well, where other machines find them: what is there and what is here are made to
//! agree. Must not know where that is.

use rusqlite::params;

use super::{
    earlier::used,
    error::JournalError,
    file::Journal,
    fork::forget_run,
    numbers::{now, signed},
    owner::Owner,
    read::{Logs, logs_of},
    runs::{RunInfo, Status},
    stored::{Start, is_step_over},
};
use crate::event::Sums;

impl Journal {
    /// The run of exactly this name.
    ///
    /// # Errors
    /// The file is damaged.
    pub(crate) fn named(&self, id: &str) -> Result<Option<RunInfo>, JournalError> {
        Ok(self.select("WHERE id = ?1", [id])?.pop())
    }

    /// What was done in a run: keys and texts, with whether a step is over with it.
    ///
    /// # Errors
    /// The file is damaged.
    pub(crate) fn entries_of(&self, run: &RunInfo) -> Result<Vec<(String, String, bool)>, JournalError> {
        let entries = self.entries(run.number)?.into_iter();
        Ok(entries
            .map(|(_, key, text)| {
                let is_over = is_step_over(&key, &text);
                (key, text, is_over)
            })
            .collect())
    }

    /// Gives up a run that this process is said to run. The caller knows that it does not, or that what runs it is stuck; that
    /// cannot write any more.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn release(&self, run: &RunInfo) -> Result<(), JournalError> {
        if run.status != Status::Running || !run.owner.as_ref().is_some_and(Owner::is_this) {
            return Ok(());
        }
        let sql = "UPDATE runs SET status = ?2, owner = NULL, ended = ?3, updated = ?3 WHERE number = ?1";
        let given_up = params![run.number, Status::Interrupted.as_str(), signed(now())];
        self.check(self.connection.execute(sql, given_up)).map(drop)
    }

    /// Takes in a run that somebody else has begun, in the place of what is here of it: nobody runs it yet.
    ///
    /// # Errors
    /// The journal cannot be written, or the entries are none.
    pub(crate) fn take_in(&self, id: &str, start: &Start, entries: &[(String, String)]) -> Result<(), JournalError> {
        let logs: Logs = logs_of(entries.iter().map(|(key, text)| (key.clone(), text.as_str())))
            .map_err(|error| JournalError::new(format!("an entry of the run {id} cannot be read: {error}")))?;
        let sums = used(&logs);
        let old = self.named(id)?;
        if let Some(old) = &old {
            self.at_once(|transaction| forget_run(transaction, old))?;
        }
        let lease = self.begin(id, None, start, None)?;
        self.at_once(|transaction| {
            for (at, (key, text)) in lease.places().zip(entries) {
                transaction
                    .prepare_cached("INSERT INTO entries (at, key, entry) VALUES (?1, ?2, ?3)")?
                    .execute(params![at, key, text])?;
            }
            let time = signed(now());
            transaction.execute(
                "UPDATE runs SET status = ?2, ended = ?3, updated = ?3, usage = ?4, cost = ?5, cost_unknown = ?6 \
                 WHERE number = ?1",
                params![
                    lease.number,
                    Status::Interrupted.as_str(),
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

/// What entries say that was used; nothing where they are none.
pub(crate) fn sums_of(entries: &[(String, String)]) -> Sums {
    let logs = logs_of(entries.iter().map(|(key, text)| (key.clone(), text.as_str())));
    logs.map(|logs| used(&logs)).unwrap_or_default()
}
