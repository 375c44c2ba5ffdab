//! The list of runs in a journal.

use std::path::{Path, PathBuf};

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    error::JournalError,
    file::Journal,
    numbers::{from_sql, local_time, now},
    owner::OwnerProcess,
    stored::{CHAT, CHOSEN},
};
use lmthing_base::{
    diagnostic::closest,
    event::{RunFinish, RunTotals},
};

/// How many runs are searched for a suggestion.
const MAX_SUGGESTED: usize = 1_000;

const COLUMNS: &str = "number, id, file, started, updated, ended, status, steps, all_steps, usage, cost, cost_unknown, \
                       model, error, origin, owner, heartbeat";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    Running,
    Done,
    /// The file, the model or the journal failed.
    Failed,
    Limit,
    Waiting,
    /// By a signal, or because its process is gone.
    Interrupted,
}

impl RunStatus {
    /// The stored and displayed name.
    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Done => "done",
            RunStatus::Failed => "failed",
            RunStatus::Limit => "limit",
            RunStatus::Waiting => "waiting",
            RunStatus::Interrupted => "interrupted",
        }
    }

    /// The status of a run with this end.
    pub(super) fn of(end: &RunFinish) -> Self {
        match end.error.as_ref().map(|error| error.kind.as_str()) {
            None if end.exit_code == 0 => RunStatus::Done,
            Some("limit") => RunStatus::Limit,
            Some("approval") => RunStatus::Waiting,
            Some("interrupted") => RunStatus::Interrupted,
            _ => RunStatus::Failed,
        }
    }

    fn read(text: &str) -> Option<Self> {
        let all = [
            RunStatus::Running,
            RunStatus::Done,
            RunStatus::Failed,
            RunStatus::Limit,
            RunStatus::Waiting,
            RunStatus::Interrupted,
        ];
        all.into_iter().find(|status| status.as_str() == text)
    }
}

/// The run that another one was forked from, and the step it starts with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOrigin {
    pub run: String,
    /// From 0.
    pub step: usize,
}

/// A run in the list. Times are in milliseconds since 1970.
#[derive(Clone, Debug)]
pub struct RunInfo {
    pub(super) number: i64,
    pub id: String,
    /// An absolute path.
    pub file: PathBuf,
    pub started: u64,
    /// The last time something was written.
    pub updated: u64,
    /// For a run whose process is gone, the last time something was written.
    pub ended: Option<u64>,
    /// Never [`RunStatus::Running`] if its process is gone.
    pub status: RunStatus,
    pub sums: RunTotals,
    /// The model of the last step of the file's own prompt, as `provider:model`.
    pub model: Option<String>,
    /// In the form of `-f json`.
    pub error: Option<Value>,
    pub origin: Option<ForkOrigin>,
    /// The process that runs it or ran it last.
    pub owner: Option<OwnerProcess>,
}

impl RunInfo {
    pub fn check_not_running(&self) -> Result<(), JournalError> {
        if self.status == RunStatus::Running { Err(self.running_error()) } else { Ok(()) }
    }

    pub(super) fn running_error(&self) -> JournalError {
        let by = match &self.owner {
            Some(owner) => format!("process {} on {}, since {}", owner.pid, owner.host, local_time(owner.since)),
            None => "another process".to_owned(),
        };
        let message = format!("the run {} is being run by {by}", self.id);
        JournalError::new(message).with_hint("wait for it, or end that process first")
    }

    /// The cost in US dollars, if it is known.
    pub fn cost(&self) -> Option<f64> {
        (!self.sums.is_cost_unknown).then_some(self.sums.known_cost)
    }

    /// The duration up to its end or now, in milliseconds.
    pub fn duration_ms(&self) -> u64 {
        self.ended.unwrap_or_else(now).saturating_sub(self.started)
    }

    fn from_row(row: &Row<'_>, path: &Path) -> rusqlite::Result<Result<Self, JournalError>> {
        let time = |column: &str| row.get::<_, Option<i64>>(column).map(|time| time.map(from_sql));
        let count = |column: &str| row.get::<_, i64>(column).map(|count| usize::try_from(count).unwrap_or(0));
        let status: String = row.get("status")?;
        let Some(status) = RunStatus::read(&status) else {
            return Ok(Err(JournalError::damaged(path, "a run in it has a status that does not exist")));
        };
        let updated = time("updated")?.unwrap_or_default();
        let owner: Option<OwnerProcess> = json(row, "owner")?;
        let last_sign = time("heartbeat")?.unwrap_or_default().max(updated);
        let is_alive = owner.as_ref().is_some_and(|owner| owner.is_alive(now().saturating_sub(last_sign)));
        let (status, ended) = match (status, time("ended")?) {
            (RunStatus::Running, _) if is_alive => (RunStatus::Running, None),
            (RunStatus::Running, ended) => (RunStatus::Interrupted, Some(ended.unwrap_or(updated))),
            (status, ended) => (status, Some(ended.unwrap_or(updated))),
        };
        Ok(Ok(RunInfo {
            number: row.get("number")?,
            id: row.get("id")?,
            file: PathBuf::from(row.get::<_, String>("file")?),
            started: time("started")?.unwrap_or_default(),
            updated,
            ended,
            status,
            sums: RunTotals {
                steps: count("steps")?,
                all_steps: count("all_steps")?,
                usage: json(row, "usage")?.unwrap_or_default(),
                // Read from the logs of its prompts where it is needed.
                cache: None,
                known_cost: row.get("cost")?,
                is_cost_unknown: row.get("cost_unknown")?,
            },
            model: row.get("model")?,
            error: json(row, "error")?,
            origin: json(row, "origin")?,
            owner,
        }))
    }
}

/// The JSON value of a column; `None` if it is invalid.
fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

impl Journal {
    pub fn runs(&self) -> Result<Vec<RunInfo>, JournalError> {
        self.select("ORDER BY started DESC, number DESC", ())
    }

    /// The last run of a prompt file, by its real path.
    pub fn last_run_of(&self, file: &Path) -> Result<RunInfo, JournalError> {
        let is_of_file = |run: &RunInfo| run.file == file || run.file.canonicalize().is_ok_and(|real| real == file);
        let found = self.runs()?.into_iter().find(is_of_file);
        found.ok_or_else(|| {
            let message = format!("there is no run of {} in the journal {}", file.display(), self.path().display());
            JournalError::new(message).with_hint("run the file first")
        })
    }

    /// The conversation that was written to last, else the run that began last. One in which nothing was said is passed
    /// over.
    pub fn last_conversation(&self) -> Result<RunInfo, JournalError> {
        for run in self.select("ORDER BY updated DESC, number DESC", ())? {
            let is_chat = self.start(&run).is_ok_and(|start| start.options.contains_key(CHAT));
            // A run may have gone on as a conversation.
            if self.has_entries(run.number, if is_chat { "" } else { CHOSEN })? {
                return Ok(run);
            }
        }
        self.find("last")
    }

    /// Finds a run by its id, a unique prefix of one, or `last`.
    pub fn find(&self, word: &str) -> Result<RunInfo, JournalError> {
        let word = word.trim();
        if word == "last" {
            let last = self.select("ORDER BY started DESC, number DESC LIMIT 1", ())?.pop();
            return last.ok_or_else(|| self.no_runs_error());
        }
        // Ids are alphanumeric, so the pattern for `GLOB` contains no wildcards.
        let is_id = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let beginning = format!("{}*", word.to_lowercase());
        let mut found = if is_id {
            self.select("WHERE id GLOB ?1 ORDER BY started DESC, number DESC", [&beginning])?
        } else {
            Vec::new()
        };
        if let Some(exact) = found.iter().position(|run| run.id == word) {
            return Ok(found.swap_remove(exact));
        }
        match found.len() {
            0 => Err(self.unknown_run_error(word)),
            1 => Ok(found.remove(0)),
            count => {
                let some: Vec<&str> = found.iter().take(3).map(|run| run.id.as_str()).collect();
                let more = if count > some.len() { ", …" } else { "" };
                let message = format!("{count} runs begin with {word}: {}{more}", some.join(", "));
                Err(JournalError::new(message).with_hint("type more of its id; `lmthing runs` lists them"))
            }
        }
    }

    pub(super) fn run_with_number(&self, number: i64) -> Result<Option<RunInfo>, JournalError> {
        Ok(self.select("WHERE number = ?1", [number])?.pop())
    }

    pub(super) fn select(&self, rest: &str, parameters: impl rusqlite::Params) -> Result<Vec<RunInfo>, JournalError> {
        let read = || {
            let mut statement = self.connection.prepare(&format!("SELECT {COLUMNS} FROM runs {rest}"))?;
            let rows = statement.query_map(parameters, |row| RunInfo::from_row(row, self.path()))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        self.check(read())?.into_iter().collect()
    }

    fn no_runs_error(&self) -> JournalError {
        JournalError::new(format!("the journal {} holds no runs", self.path().display()))
            .with_hint("lmthing run --journal FILE writes one down")
    }

    fn unknown_run_error(&self, word: &str) -> JournalError {
        let runs = match self.select(&format!("ORDER BY started DESC LIMIT {MAX_SUGGESTED}"), ()) {
            Ok(runs) if runs.is_empty() => return self.no_runs_error(),
            runs => runs.unwrap_or_default(),
        };
        let names = runs.iter().map(|run| run.id.as_str()).chain(["last"]);
        let error = JournalError::new(format!("there is no run '{word}' in the journal {}", self.path().display()));
        match closest(word, names) {
            Some(near) => error.with_hint(format!("Did you mean '{near}'?")),
            None => error.with_hint("`lmthing runs` lists them; 'last' is the latest one"),
        }
    }
}
