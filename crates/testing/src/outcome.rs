//! Results of tests, as plain data.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use super::recordings::RecordedUse;
pub(crate) use lmthing_engine::bindings::testing::{Failure, Snapshots, State, TestOutcome};

/// The note of a test that the filter excludes.
pub(super) const FILTERED: &str = "--filter";

/// The results of a file.
#[derive(Clone, Debug)]
pub struct FileOutcome {
    /// The path as the user gave it, or below a folder that the user gave.
    pub file: PathBuf,
    /// In source order.
    pub tests: Vec<TestOutcome>,
    /// Failures outside of any test: loading the file, an unhandled rejection, a hook of the whole file.
    pub errors: Vec<Failure>,
    /// Sentences for the user: obsolete snapshots, exchanges that were not replayed.
    pub notes: Vec<String>,
    pub snapshots: Snapshots,
    /// The answers of recordings that the file was the first to use.
    pub recorded: RecordedUse,
    pub began: SystemTime,
    /// From start to end, loading included.
    pub took: Duration,
}

/// The sums over all files.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    pub files_passed: usize,
    /// Files with a failure in or outside of a test.
    pub files_failed: usize,
    /// Files of which no test ran.
    pub files_skipped: usize,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    /// Skipped tests that the filter excludes.
    pub filtered: usize,
    pub todo: usize,
    /// Failures outside of tests.
    pub errors: usize,
    pub snapshots: Snapshots,
    pub recorded: RecordedUse,
    /// From the first file's start to the last one's end.
    pub took: Duration,
}

impl FileOutcome {
    pub fn is_ok(&self) -> bool {
        self.errors.is_empty() && self.tests.iter().all(|test| test.state != State::Failed)
    }
}

impl Totals {
    pub fn add(&mut self, file: &FileOutcome) {
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
        self.recorded.add(&file.recorded);
    }
}
