//! Runs that are killed and resumed: a provider whose answers depend on the conversation alone, and the journal as
//! another process reads it.

use crate::support::{Folder, Outcome};

pub(crate) mod journal;
pub(crate) mod provider;

use std::process::{Child, Command};

use provider::Provider;

/// The first lines of prompt files here. `note` appends to a file; `die` kills the process with SIGKILL the first time
/// it is called with a name.
pub(crate) const PRELUDE: &str = "
import { z } from 'zod';
import fs from 'node:fs';
const none = z.object({});
const note = (line) => fs.appendFileSync('done.log', line + '\\n');
const die = (name = 'dead') => {
  if (fs.existsSync(name)) return;
  fs.writeFileSync(name, '');
  process.kill(process.pid, 'SIGKILL');
};
const call = (toolCallId, toolName, args = {}) => ({ type: 'tool-call', toolCallId, toolName, args });
const text = (text) => ({ type: 'text', text });
";

/// A folder with `p.lmt.mjs`, and the provider `lab`.
pub(crate) struct Project {
    pub folder: Folder,
    pub provider: Provider,
}

impl Project {
    pub(crate) fn new(source: &str, provider: Provider) -> Self {
        Project { folder: Folder::of(source), provider }
    }

    /// A file that only uses its own mock, appended to [`PRELUDE`].
    pub(crate) fn mocked(source: &str) -> Self {
        let source = format!("{PRELUDE}export const config = {{ model: 'mock' }};\n{source}");
        Project::new(&source, Provider::start(|_| provider::Turn::failure(500)))
    }

    /// Starts a run that kills itself.
    pub(crate) fn killed(&self) -> Outcome {
        let outcome = self.run("run --journal p.lmt.mjs");
        assert_eq!(outcome.code, -1, "{outcome:?}");
        outcome
    }

    /// Resumes the last run, which must succeed; returns stdout.
    pub(crate) fn resumed(&self) -> String {
        let outcome = self.run("resume last");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.stdout
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = self.folder.command(arguments);
        command.env("LAB_API_TYPE", "openai").env("LAB_API_BASE", &self.provider.base);
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        Outcome::of(&mut self.command(arguments))
    }

    pub(crate) fn start(&self, arguments: &str) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        self.folder.lines(name)
    }

    /// The journal, if there is one.
    pub(crate) fn journal(&self) -> Option<journal::Journal> {
        journal::Journal::read(&self.folder.path(".lmthing/journal.db"))
    }
}

/// The status of the only run, from `runs --json`.
pub(crate) fn status(project: &Project) -> String {
    let listed = project.run("runs --json").object();
    let runs = listed.as_array().unwrap();
    assert_eq!(runs.len(), 1, "{listed}");
    runs[0]["status"].as_str().unwrap().to_owned()
}
