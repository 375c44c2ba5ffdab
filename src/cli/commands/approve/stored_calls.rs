//! Calls that runs in the journal wait for.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::approvals::awaited_calls::{WaitingRun, argument_lines, command};
use lmthing_base::diagnostic::escape_invisible;
use lmthing_store::journal::{INVOCATION, Journal, JournalError, RunInfo, RunStatus};

pub(super) struct StoredCall {
    /// As `resume --approve` names it.
    pub(super) id: String,
    name: String,
    args: Value,
    run: String,
    file: PathBuf,
}

impl StoredCall {
    fn of(run: &RunInfo, call: &Value) -> Self {
        let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
        let (id, name, args) = (text("call"), text("name"), call["args"].clone());
        StoredCall { id, name, args, run: run.id.clone(), file: run.file.clone() }
    }

    pub(super) fn json(&self) -> Value {
        let StoredCall { id, name, args, run, file } = self;
        json!({ "id": id, "name": name, "args": args, "run": run, "file": file })
    }

    pub(super) fn shown(&self) -> String {
        let (id, name) = (escape_invisible(&self.id), escape_invisible(&self.name));
        let file = self.file.display().to_string();
        let mut text = format!("{id}\n  {name}, in the run {} of {}\n", self.run, escape_invisible(&file));
        argument_lines(&self.args).iter().for_each(|line| text += &format!("    {line}\n"));
        text
    }

    /// The command with a decision; `option` is `approve` or `deny`, `journal` the path that was typed.
    pub(super) fn command(&self, option: &str, journal: Option<&Path>) -> String {
        command(WaitingRun { id: &self.run, is_chat: false, journal }, option, &self.id)
    }
}

/// The calls that can be decided on, those of the latest run first. Restate resumes the runs of its invocations itself.
pub(super) fn read(path: &Path) -> Result<Vec<StoredCall>, JournalError> {
    let journal = Journal::read(path)?;
    let mut calls = Vec::new();
    for run in journal.runs()?.iter().filter(|run| run.status == RunStatus::Waiting) {
        let start = journal.start(run)?;
        if start.not_resumable.is_none() && !start.options.contains_key(INVOCATION) {
            let waiting = run.error.as_ref().and_then(|error| error["waiting"].as_array());
            calls.extend(waiting.into_iter().flatten().map(|call| StoredCall::of(run, call)));
        }
    }
    Ok(calls)
}
