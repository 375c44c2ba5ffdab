//! The runs of a journal, as they are listed. Must not know what happened in them.

use std::path::PathBuf;

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    error::JournalError,
    file::Journal,
    numbers::{now, positive, shown},
    owner::Owner,
};
use crate::{
    diagnostic::closest,
    event::{RunFinish, Sums},
};

/// Suggestions come out of so many runs.
const NEAR: usize = 1_000;

const COLUMNS: &str = "number, id, file, started, updated, ended, status, steps, all_steps, usage, cost, cost_unknown, \
                       model, error, origin, owner, heartbeat";

/// How a run ended, or that it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// A process runs it.
    Running,
    /// It came to its end, and well.
    Done,
    /// Something failed: the file, the model, the journal.
    Failed,
    /// A limit ended it.
    Limit,
    /// Calls wait for somebody to approve them.
    Waiting,
    /// A signal ended it, or its process is gone.
    Interrupted,
}

impl Status {
    /// As it is stored and shown.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Done => "done",
            Status::Failed => "failed",
            Status::Limit => "limit",
            Status::Waiting => "waiting",
            Status::Interrupted => "interrupted",
        }
    }

    /// That of a run that has ended like this.
    pub(super) fn of(end: &RunFinish) -> Self {
        match end.error.as_ref().map(|error| error.kind.as_str()) {
            None if end.exit_code == 0 => Status::Done,
            Some("limit") => Status::Limit,
            Some("approval") => Status::Waiting,
            Some("interrupted") => Status::Interrupted,
            _ => Status::Failed,
        }
    }

    fn read(text: &str) -> Option<Self> {
        let all = [Status::Running, Status::Done, Status::Failed, Status::Limit, Status::Waiting, Status::Interrupted];
        all.into_iter().find(|status| status.as_str() == text)
    }
}

/// The run that another one goes on from, and the step it begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// Its id.
    pub run: String,
    /// Counted from 0.
    pub step: usize,
}

/// A run as it is listed. Times are milliseconds since 1970.
#[derive(Clone, Debug)]
pub(crate) struct RunInfo {
    /// The tables' own name for it.
    pub(super) number: i64,
    /// Its name in events.
    pub id: String,
    /// The prompt file, as an absolute path.
    pub file: PathBuf,
    /// When it began.
    pub started: u64,
    /// When something of it was written last.
    pub updated: u64,
    /// When it ended; of one whose process is gone, when something of it was written last.
    pub ended: Option<u64>,
    /// Never [`Status::Running`] when its process is gone.
    pub status: Status,
    /// What it has used.
    pub sums: Sums,
    /// The model of the last step of the file's own prompt, as `provider:model`.
    pub model: Option<String>,
    /// What went wrong, as `-f json` has it.
    pub error: Option<Value>,
    /// Where it was taken from.
    pub origin: Option<Origin>,
    /// Who runs it, or was running it.
    pub owner: Option<Owner>,
}

impl RunInfo {
    /// That nobody runs it.
    ///
    /// # Errors
    /// Somebody does.
    pub(crate) fn check_is_left(&self) -> Result<(), JournalError> {
        if self.status == Status::Running { Err(self.is_run()) } else { Ok(()) }
    }

    /// That a process runs it.
    pub(super) fn is_run(&self) -> JournalError {
        let by = match &self.owner {
            Some(owner) => format!("process {} on {}, since {}", owner.pid, owner.host, shown(owner.since)),
            None => "another process".to_owned(),
        };
        let message = format!("the run {} is being run by {by}", self.id);
        JournalError::new(message).with_hint("wait for it, or end that process first")
    }

    /// What it cost in US dollars, if that is known.
    pub(crate) fn cost(&self) -> Option<f64> {
        (!self.sums.is_cost_unknown).then_some(self.sums.known_cost)
    }

    /// How long it took, or takes already, in milliseconds.
    pub(crate) fn duration_ms(&self) -> u64 {
        self.ended.unwrap_or_else(now).saturating_sub(self.started)
    }

    fn of_row(row: &Row<'_>, path: &std::path::Path) -> rusqlite::Result<Result<Self, JournalError>> {
        let time = |column: &str| row.get::<_, Option<i64>>(column).map(|time| time.map(positive));
        let count = |column: &str| row.get::<_, i64>(column).map(|count| usize::try_from(count).unwrap_or(0));
        let status: String = row.get("status")?;
        let Some(status) = Status::read(&status) else {
            return Ok(Err(JournalError::damaged(path, "a run in it has a status that does not exist")));
        };
        let updated = time("updated")?.unwrap_or_default();
        let owner: Option<Owner> = json(row, "owner")?;
        let heard = time("heartbeat")?.unwrap_or_default().max(updated);
        let is_alive = owner.as_ref().is_some_and(|owner| owner.is_alive(now().saturating_sub(heard)));
        let (status, ended) = match (status, time("ended")?) {
            (Status::Running, _) if is_alive => (Status::Running, None),
            (Status::Running, ended) => (Status::Interrupted, Some(ended.unwrap_or(updated))),
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
            sums: Sums {
                steps: count("steps")?,
                all_steps: count("all_steps")?,
                usage: json(row, "usage")?.unwrap_or_default(),
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

/// What a column holds as JSON; nothing, where somebody else has put something else there.
fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

impl Journal {
    /// All runs, the latest first.
    ///
    /// # Errors
    /// The file is damaged.
    pub(crate) fn runs(&self) -> Result<Vec<RunInfo>, JournalError> {
        self.select("ORDER BY started DESC, number DESC", ())
    }

    /// The run that a word stands for: its id, the beginning of one that no other has, or `last`.
    ///
    /// # Errors
    /// There is none, or there are several; or the file is damaged.
    pub(crate) fn find(&self, word: &str) -> Result<RunInfo, JournalError> {
        let word = word.trim();
        if word == "last" {
            let last = self.select("ORDER BY started DESC, number DESC LIMIT 1", ())?.pop();
            return last.ok_or_else(|| self.holds_none());
        }
        // Letters that stand for any others are none in `glob`, and ids are digits.
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
            0 => Err(self.unknown(word)),
            1 => Ok(found.remove(0)),
            count => {
                let some: Vec<&str> = found.iter().take(3).map(|run| run.id.as_str()).collect();
                let more = if count > some.len() { ", …" } else { "" };
                let message = format!("{count} runs begin with {word}: {}{more}", some.join(", "));
                Err(JournalError::new(message).with_hint("type more of its id; `lmthing runs` lists them"))
            }
        }
    }

    pub(super) fn of_number(&self, number: i64) -> Result<Option<RunInfo>, JournalError> {
        Ok(self.select("WHERE number = ?1", [number])?.pop())
    }

    pub(super) fn select(&self, rest: &str, parameters: impl rusqlite::Params) -> Result<Vec<RunInfo>, JournalError> {
        let read = || {
            let mut statement = self.connection.prepare(&format!("SELECT {COLUMNS} FROM runs {rest}"))?;
            let rows = statement.query_map(parameters, |row| RunInfo::of_row(row, self.path()))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        self.check(read())?.into_iter().collect()
    }

    fn holds_none(&self) -> JournalError {
        JournalError::new(format!("the journal {} holds no runs", self.path().display()))
            .with_hint("lmthing run --journal FILE writes one down")
    }

    fn unknown(&self, word: &str) -> JournalError {
        let runs = match self.select(&format!("ORDER BY started DESC LIMIT {NEAR}"), ()) {
            Ok(runs) if runs.is_empty() => return self.holds_none(),
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
