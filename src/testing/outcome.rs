//! What came of tests, as plain data that can go from thread to thread. Must not know how it is shown.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

pub(crate) use crate::script::bindings::testing::{Failure, Snapshots, State, TestOutcome};

/// The note of a test that the filter has left out.
pub(super) const FILTERED: &str = "--filter";

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
    /// Those of them that the filter has left out.
    pub(crate) filtered: usize,
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

impl Totals {
    /// Adds a file.
    pub(crate) fn add(&mut self, file: &FileOutcome) {
        let count = |state: State| file.tests.iter().filter(|test| test.state == state).count();
        let (passed, failed) = (count(State::Passed), count(State::Failed));
        self.passed += passed;
        self.failed += failed;
        self.skipped += count(State::Skipped);
        self.filtered += file.tests.iter().filter(|test| test.note.as_deref() == Some(FILTERED)).count();
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
