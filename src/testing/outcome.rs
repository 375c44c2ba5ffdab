//! What came of tests, as plain data that can go from thread to thread. Must not know how it is shown.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use crate::diagnostic::{Diagnostic, Location};

/// A file that was run, and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct FileOutcome {
    /// The file as it was typed, or below a folder as that was typed.
    pub(crate) file: PathBuf,
    /// Its tests in the order in which they are written.
    pub(crate) tests: Vec<TestOutcome>,
    /// What failed outside of any test: loading the file, a rejection that nobody handled, a hook of the whole file.
    pub(crate) errors: Vec<Failure>,
    /// What a person should know of the file, one sentence each: obsolete snapshots, exchanges that were not replayed.
    pub(crate) notes: Vec<String>,
    /// What happened to its snapshots.
    pub(crate) snapshots: Snapshots,
    /// When it began.
    pub(crate) began: SystemTime,
    /// From its start to its end, loading included.
    pub(crate) took: Duration,
}

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

/// What was run in all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    /// Files that passed.
    pub(crate) files_passed: usize,
    /// Files with a failure in or outside of a test.
    pub(crate) files_failed: usize,
    /// Files of which no test was run.
    pub(crate) files_skipped: usize,
    /// Tests that passed.
    pub(crate) passed: usize,
    /// Tests that failed.
    pub(crate) failed: usize,
    /// Tests that were not run.
    pub(crate) skipped: usize,
    /// Tests that are still to be written.
    pub(crate) todo: usize,
    /// Failures outside of tests.
    pub(crate) errors: usize,
    /// Snapshots of all files.
    pub(crate) snapshots: Snapshots,
    /// From the first file's start to the last one's end.
    pub(crate) took: Duration,
}

impl FileOutcome {
    /// Whether nothing in it failed.
    pub(crate) fn is_ok(&self) -> bool {
        self.errors.is_empty() && self.tests.iter().all(|test| test.state != State::Failed)
    }
}

impl TestOutcome {
    /// The titles with ` > ` between them, as `--filter` sees them and reports name them.
    pub(crate) fn full_name(&self) -> String {
        let titles: Vec<&str> = self.ancestors.iter().chain([&self.title]).map(String::as_str).collect();
        titles.join(" > ")
    }
}

impl Totals {
    /// Adds a file.
    pub(crate) fn add(&mut self, file: &FileOutcome) {
        let count = |state: State| file.tests.iter().filter(|test| test.state == state).count();
        let (passed, failed) = (count(State::Passed), count(State::Failed));
        self.passed += passed;
        self.failed += failed;
        self.skipped += count(State::Skipped);
        self.todo += count(State::Todo);
        self.errors += file.errors.len();
        match file.is_ok() {
            false => self.files_failed += 1,
            true if passed == 0 => self.files_skipped += 1,
            true => self.files_passed += 1,
        }
        self.snapshots.add(&file.snapshots);
    }
}

impl Snapshots {
    fn add(&mut self, more: &Snapshots) {
        self.matched += more.matched;
        self.unmatched += more.unmatched;
        self.written += more.written;
        self.updated += more.updated;
        self.removed += more.removed;
        self.obsolete += more.obsolete;
    }
}
