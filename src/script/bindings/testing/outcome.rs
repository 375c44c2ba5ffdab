//! Results of tests, as plain data.

use std::time::Duration;

use crate::diagnostic::{Diagnostic, Location};

#[derive(Clone, Debug)]
pub(crate) struct TestOutcome {
    /// The titles of the enclosing `describe` blocks, outermost first.
    pub(crate) ancestors: Vec<String>,
    pub(crate) title: String,
    pub(crate) state: State,
    /// The call of `test`; `None` for the smoke test of a prompt file.
    pub(crate) place: Option<Location>,
    /// Includes hooks; `None` if it was not run.
    pub(crate) took: Option<Duration>,
    /// Several if hooks, soft assertions or repetitions failed as well.
    pub(crate) failures: Vec<Failure>,
    /// Why it was skipped, or how many repetitions passed: `needs an input`, `4 of 5 passed`.
    pub(crate) note: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Passed,
    Failed,
    /// Not run because of `test.skip`, `test.only` elsewhere, `--filter` or `--bail`.
    Skipped,
    Todo,
}

#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) diagnostic: Diagnostic,
    /// Lines with the prefix `- ` are expected, those with `+ ` received; no colours.
    pub(crate) diff: Option<String>,
    /// Where it failed, outside the test itself: `beforeEach`, `repetition 2 of 5`.
    pub(crate) context: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshots {
    pub(crate) matched: usize,
    pub(crate) unmatched: usize,
    pub(crate) written: usize,
    pub(crate) updated: usize,
    pub(crate) removed: usize,
    /// No test uses them.
    pub(crate) obsolete: usize,
}

impl TestOutcome {
    /// The titles joined with ` > `, for `--filter` and reports.
    pub(crate) fn full_name(&self) -> String {
        let titles: Vec<&str> = self.ancestors.iter().chain([&self.title]).map(String::as_str).collect();
        titles.join(" > ")
    }
}

impl Snapshots {
    pub(crate) fn add(&mut self, more: &Snapshots) {
        self.matched += more.matched;
        self.unmatched += more.unmatched;
        self.written += more.written;
        self.updated += more.updated;
        self.removed += more.removed;
        self.obsolete += more.obsolete;
    }
}
