//! What the JavaScript half of tests tells, as plain data. Must not know who listens.

use std::time::Duration;

use crate::diagnostic::{Diagnostic, Location};

/// One test and what came of it; one of `test.each` for each of its rows.
#[derive(Clone, Debug)]
pub(crate) struct TestOutcome {
    /// The titles of the `describe` blocks around it, outermost first.
    pub(crate) ancestors: Vec<String>,
    /// Its own title.
    pub(crate) title: String,
    /// Whether it passed.
    pub(crate) state: State,
    /// The call of `test` in the file; `None` for the smoke test of a prompt file.
    pub(crate) place: Option<Location>,
    /// Hooks included; `None` when it was not run.
    pub(crate) took: Option<Duration>,
    /// Why it failed; several when hooks failed too, or soft assertions, or repetitions.
    pub(crate) failures: Vec<Failure>,
    /// Why it was skipped, or how many repetitions passed: `needs an input`, `4 of 5 passed`.
    pub(crate) note: Option<String>,
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It ran to its end.
    Passed,
    /// It threw, or ran into a limit.
    Failed,
    /// It was not run: `test.skip`, `test.only` elsewhere, `--filter`, `--bail`.
    Skipped,
    /// `test.todo`.
    Todo,
}

/// Why a test or a file failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// What was thrown, with the place in the user's file.
    pub(crate) diagnostic: Diagnostic,
    /// Lines that begin with `- ` are what was expected, those with `+ ` what was received; without colours.
    pub(crate) diff: Option<String>,
    /// Where, if not in the test itself: `beforeEach`, `repetition 2 of 5`.
    pub(crate) context: Option<String>,
}

/// What happened to the snapshots of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshots {
    /// They are as they were.
    pub(crate) matched: usize,
    /// They are not; their tests failed.
    pub(crate) unmatched: usize,
    /// New ones.
    pub(crate) written: usize,
    /// Changed because of `--update`.
    pub(crate) updated: usize,
    /// Removed because of `--update`.
    pub(crate) removed: usize,
    /// Nothing asks for them any more.
    pub(crate) obsolete: usize,
}

impl TestOutcome {
    /// The titles with ` > ` between them, as `--filter` sees them and reports name them.
    pub(crate) fn full_name(&self) -> String {
        let titles: Vec<&str> = self.ancestors.iter().chain([&self.title]).map(String::as_str).collect();
        titles.join(" > ")
    }
}

impl Snapshots {
    /// Adds those of another file.
    pub(crate) fn add(&mut self, more: &Snapshots) {
        self.matched += more.matched;
        self.unmatched += more.unmatched;
        self.written += more.written;
        self.updated += more.updated;
        self.removed += more.removed;
        self.obsolete += more.obsolete;
    }
}
