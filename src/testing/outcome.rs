//! Results of tests, as plain data.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

pub(crate) use crate::script::bindings::testing::{Failure, Snapshots, State, TestOutcome};

/// The note of a test that the filter excludes.
pub(super) const FILTERED: &str = "--filter";

/// The results of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileOutcome {
    /// The path as the user gave it, or below a folder that the user gave.
    pub(crate) file: PathBuf,
    /// In source order.
    pub(crate) tests: Vec<TestOutcome>,
    /// Failures outside of any test: loading the file, an unhandled rejection, a hook of the whole file.
    pub(crate) errors: Vec<Failure>,
    /// Sentences for the user: obsolete snapshots, exchanges that were not replayed.
    pub(crate) notes: Vec<String>,
    pub(crate) snapshots: Snapshots,
    pub(crate) began: SystemTime,
    /// From start to end, loading included.
    pub(crate) took: Duration,
}

/// The sums over all files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) files_passed: usize,
    /// Files with a failure in or outside of a test.
    pub(crate) files_failed: usize,
    /// Files of which no test ran.
    pub(crate) files_skipped: usize,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    /// Skipped tests that the filter excludes.
    pub(crate) filtered: usize,
    pub(crate) todo: usize,
    /// Failures outside of tests.
    pub(crate) errors: usize,
    pub(crate) snapshots: Snapshots,
    /// From the first file's start to the last one's end.
    pub(crate) took: Duration,
}

impl FileOutcome {
    pub(crate) fn is_ok(&self) -> bool {
        self.errors.is_empty() && self.tests.iter().all(|test| test.state != State::Failed)
    }
}

impl Totals {
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
