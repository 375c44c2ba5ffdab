//! The state of a test file that is running.

use std::{
    path::PathBuf,
    time::{Duration, Instant, SystemTime},
};

use super::{
    outcome::{Failure, FileOutcome, Snapshots, State, TestOutcome},
    recordings::RecordedUse,
};
use lmthing_base::diagnostic::Diagnostic;

/// The number of failures outside of tests that are kept for a file.
const MOST_ERRORS: usize = 100;

pub(super) struct RunningFile {
    pub(super) outcome: FileOutcome,
    pub(super) began: Instant,
    /// The test that is running, empty outside of any.
    pub(super) test: String,
    /// The tests that have not been reported yet.
    pub(super) planned: Vec<TestOutcome>,
    /// The time by which a message must have arrived; `None` if the author has set no limit.
    pub(super) deadline: Option<Instant>,
}

impl RunningFile {
    pub(super) fn of(file: PathBuf, deadline: Instant) -> Self {
        let outcome = FileOutcome {
            file,
            tests: Vec::new(),
            errors: Vec::new(),
            notes: Vec::new(),
            snapshots: Snapshots::default(),
            recorded: RecordedUse::default(),
            began: SystemTime::now(),
            took: Duration::ZERO,
        };
        let deadline = Some(deadline);
        RunningFile { outcome, began: Instant::now(), test: String::new(), planned: Vec::new(), deadline }
    }

    /// The running test or the file, for messages.
    pub(super) fn running_name(&self) -> String {
        if self.test.is_empty() { "the file".to_owned() } else { format!("the test {}", self.test) }
    }

    pub(super) fn end_test(&mut self, test: TestOutcome) {
        self.test.clear();
        let is_same = |planned: &TestOutcome| planned.title == test.title && planned.ancestors == test.ancestors;
        // Tests nearly always end in planned order.
        if let Some(index) = self.planned.iter().position(is_same) {
            self.planned.remove(index);
        }
        self.outcome.tests.push(test);
    }

    /// Fails the running test, or else the file, because its thread does not respond. Returns whether a test was
    /// running.
    pub(super) fn fail_unresponsive(&mut self) -> bool {
        self.fail(format!("{} timed out and could not be interrupted", self.running_name()))
    }

    /// Fails the running test, or else the file, because the user interrupted the run.
    pub(super) fn interrupt(&mut self) {
        self.fail(format!("{} was interrupted", self.running_name()));
        self.skip_remaining("interrupted");
        self.outcome.took = self.began.elapsed();
    }

    fn fail(&mut self, message: String) -> bool {
        let failure = Failure { diagnostic: Diagnostic::new(message), diff: None, context: None };
        let current = self.planned.iter().position(|planned| planned.full_name() == self.test);
        match current.map(|index| self.planned.remove(index)) {
            Some(test) => {
                self.outcome.tests.push(TestOutcome { state: State::Failed, failures: vec![failure], ..test });
                true
            }
            None => {
                self.outcome.errors.push(failure);
                false
            }
        }
    }

    /// Ends the file. A planned test without a result is a failure, as a script may have broken the test runner: that of
    /// the test which was running, for which `true` is returned, or else that of the file.
    pub(super) fn close(&mut self) -> bool {
        let is_running = self.planned.iter().any(|planned| planned.full_name() == self.test);
        if is_running {
            let why = match self.outcome.errors.is_empty() {
                true => ": it may have changed something that the test runner needs, such as a built-in object",
                false => "; see the error of the file",
            };
            self.fail(format!("{} has no result{why}", self.running_name()));
            self.skip_remaining("not run, as the test before has no result");
            return true;
        }
        if !self.planned.is_empty() && self.outcome.errors.is_empty() && self.outcome.is_ok() {
            let diagnostic = Diagnostic::new(format!("{} of its tests were not run", self.planned.len()));
            self.outcome.errors.push(Failure { diagnostic, diff: None, context: None });
        }
        self.skip_remaining("not run");
        false
    }

    /// Records a failure outside of any test, once.
    pub(super) fn add_error(&mut self, failure: Failure) {
        let is_same = |other: &Failure| other.diagnostic == failure.diagnostic && other.context == failure.context;
        if !self.outcome.errors.iter().any(is_same) && self.outcome.errors.len() < MOST_ERRORS {
            self.outcome.errors.push(failure);
        }
    }

    /// Ends the tests without a result as not run.
    pub(super) fn skip_remaining(&mut self, why: &str) {
        let rest = std::mem::take(&mut self.planned);
        self.outcome.tests.extend(rest.into_iter().map(|test| TestOutcome { note: Some(why.to_owned()), ..test }));
    }
}
