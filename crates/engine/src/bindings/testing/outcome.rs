//! Results of tests, as plain data.

use std::time::Duration;

use lmthing_base::diagnostic::{Diagnostic, Location};

#[derive(Clone, Debug)]
pub struct TestOutcome {
    /// Titles of the enclosing `describe` blocks, outermost first.
    pub ancestors: Vec<String>,
    pub title: String,
    pub state: State,
    /// The call of `test`; `None` for the smoke test of a prompt file.
    pub place: Option<Location>,
    /// Includes hooks; `None` if it was not run.
    pub took: Option<Duration>,
    /// Several if hooks, soft assertions or repetitions failed as well.
    pub failures: Vec<Failure>,
    /// Why it was skipped, or how many repetitions passed: `needs an input`, `4 of 5 passed`.
    pub note: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Passed,
    Failed,
    /// Not run because of `test.skip`, `test.only` elsewhere, `--filter` or `--bail`.
    Skipped,
    Todo,
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub diagnostic: Diagnostic,
    /// Lines with the prefix `- ` are expected, those with `+ ` received; no colours.
    pub diff: Option<String>,
    /// Where it failed, outside the test itself: `beforeEach`, `repetition 2 of 5`.
    pub context: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshots {
    pub matched: usize,
    pub unmatched: usize,
    pub written: usize,
    pub updated: usize,
    pub removed: usize,
    pub obsolete: usize,
}

impl TestOutcome {
    /// The titles joined with ` > `, for `--filter` and reports.
    pub fn full_name(&self) -> String {
        let titles: Vec<&str> = self.ancestors.iter().chain([&self.title]).map(String::as_str).collect();
        titles.join(" > ")
    }
}

impl Snapshots {
    pub fn add(&mut self, more: &Snapshots) {
        self.matched += more.matched;
        self.unmatched += more.unmatched;
        self.written += more.written;
        self.updated += more.updated;
        self.removed += more.removed;
        self.obsolete += more.obsolete;
    }
}
