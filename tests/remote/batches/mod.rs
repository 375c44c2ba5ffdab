//! `lmthing map --batch` (docs/reference/batches.md), against a server with the batches of each provider.

#[cfg(unix)]
mod cancel;
mod faults;
mod gone;
#[cfg(unix)]
mod kills;
mod limits;
mod order;
mod refused;
mod rows;
mod stops;
mod usage;

use std::{collections::HashSet, fs, path::Path, process::Command, thread};

use serde_json::Value;

use crate::{
    rows::results_in,
    support::{
        Folder, Outcome, Running,
        batches::{Act, Asked, BatchServer, Dialect, KEY, Phase, Reply},
    },
};

/// Asks `row N`. The tool writes a line for each call; `kind` says what else the row does.
const ASKS: &str = "
import fs from 'node:fs';
export const input = {
  type: 'object', properties: { n: { type: 'number' }, kind: { type: 'string' } }, required: ['n'],
};
const id = { type: 'object', properties: { id: { type: 'string' } } };
export default ({ $, defTool, defAgent }, { n, kind = 'plain' }) => {
  defTool('look', 'Looks.', id, async ({ id }) => {
    fs.appendFileSync('tools.log', `${n} ${id}\\n`);
    if (kind === 'slow') await new Promise((resolve) => setTimeout(resolve, 300));
    return `seen ${id}`;
  });
  if (kind === 'agent') defAgent('helper', 'Helps.', id, ({ id }, child) => { child.$`help ${id}`; });
  $`row ${n} ${kind}`;
};
";

/// One for each way in which batches are submitted.
pub(super) const KINDS: [Dialect; 3] = [Dialect::OpenAi, Dialect::Anthropic, Dialect::Google];

const MAP: &str = "map p.lmt.mjs --input rows.jsonl -o out.jsonl --batch --poll 20ms";

/// A folder with the prompt file and rows, and the server that it asks.
pub(super) struct Lab {
    pub(super) server: BatchServer,
    pub(super) folder: Folder,
}

impl Lab {
    /// Rows of one kind. Answers are the text of the row, after a call of the tool or the agent where the kind says so.
    pub(super) fn new(dialect: Dialect, rows: usize, kind: &str) -> Self {
        Lab::of(BatchServer::with(dialect, reply), rows, kind)
    }

    pub(super) fn of(server: BatchServer, rows: usize, kind: &str) -> Self {
        let rows: String = (1..=rows).map(|n| format!("{{\"n\":{n},\"kind\":\"{kind}\"}}\n")).collect();
        Lab { server, folder: Folder::new(&[("p.lmt.mjs", ASKS), ("rows.jsonl", &rows)]) }
    }

    /// Gives the prompt file a `config` with these members.
    pub(super) fn configure(&self, members: &str) {
        let file = self.folder.path("p.lmt.mjs");
        fs::write(file, format!("export const config = {{ {members} }};\n{ASKS}")).unwrap();
    }

    /// Options after those of [`MAP`] override them.
    pub(super) fn command(&self, more: &str) -> Command {
        self.command_of(&format!("{MAP} -m {} {more}", self.server.model()))
    }

    /// A command with the variables of the server.
    pub(super) fn command_of(&self, arguments: &str) -> Command {
        let mut command = self.folder.command(arguments);
        command.envs(self.server.variables());
        command
    }

    pub(super) fn map(&self, more: &str) -> Outcome {
        Outcome::of(&mut self.command(more))
    }

    pub(super) fn start(&self, more: &str) -> Running {
        Running::of(&mut self.command(more))
    }

    pub(super) fn cancel(&self) -> Outcome {
        Outcome::of(&mut self.command_of("map --cancel out.jsonl"))
    }

    /// Runs the map to its end, and checks that every row has its own answer and that nothing else is left.
    pub(super) fn finish(&self, rows: usize) {
        let outcome = self.map("");
        assert_eq!(outcome.code, 0, "{:?}: {outcome:?}", self.server.dialect);
        self.check_done(rows, &outcome);
    }

    pub(super) fn check_done(&self, rows: usize, outcome: &Outcome) {
        let expected: Vec<(u64, String)> = (1..=rows as u64).map(|n| (n, format!("row {n}"))).collect();
        assert_eq!(self.answers(), expected, "{:?}: {outcome:?}", self.server.dialect);
        let mut left = names(self.folder.path("").as_path());
        left.retain(|name| name != "tools.log");
        assert_eq!(left, ["out.jsonl", "out.jsonl.lmthing", "p.lmt.mjs", "rows.jsonl"]);
        assert_eq!(self.server.files(), Vec::<String>::new(), "{:?}", self.server.dialect);
    }

    /// The rows of OUT with the beginnings of their texts.
    pub(super) fn answers(&self) -> Vec<(u64, String)> {
        let text = |result: &Value| {
            let text = result["text"].as_str().unwrap_or_default();
            text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
        };
        let lines = results_in(&self.folder, "out.jsonl");
        lines.iter().map(|result| (result["row"].as_u64().unwrap(), text(result))).collect()
    }

    /// What was paid more than once.
    pub(super) fn paid_twice(&self) -> Vec<Value> {
        let mut seen = HashSet::new();
        self.server.paid().into_iter().filter(|body| !seen.insert(body.to_string())).collect()
    }

    /// How many requests each batch has.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.server.batches().iter().map(|batch| batch.requests.len()).collect()
    }

    pub(super) fn asks(&self) -> usize {
        self.server.count(Act::Ask)
    }
}

/// A lab whose batches go on until a test ends them.
pub(super) fn endless(dialect: Dialect, rows: usize, kind: &str) -> Lab {
    Lab::of(BatchServer::with(dialect, reply).polls(usize::MAX), rows, kind)
}

/// Ends the batches that are under way.
pub(super) fn end_all(lab: &Lab, phase: &Phase) {
    for batch in lab.server.batches().iter().filter(|batch| batch.phase == Phase::Running) {
        lab.server.end(&batch.id, phase.clone());
    }
}

pub(super) fn reply(asked: &Asked) -> Reply {
    match asked.text.split_whitespace().last() {
        Some("tool" | "slow") if !asked.has_results => Reply::Call("look".to_owned(), serde_json::json!({ "id": "a" })),
        Some("agent") if !asked.has_results => Reply::Call("helper".to_owned(), serde_json::json!({ "id": "b" })),
        _ => Reply::Text(asked.text.clone()),
    }
}

/// Checks all cases at the same time, as they mostly wait.
pub(super) fn at_once<T: Sync>(cases: &[T], check: impl Fn(&T) + Sync) {
    thread::scope(|scope| cases.iter().for_each(|case| drop(scope.spawn(|| check(case)))));
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Whether the text has the key.
pub(super) fn has_key(text: &str) -> bool {
    text.contains(KEY)
}
