//! A file that is being run, as far as it has been heard of. Must not know who listens.

use std::{
    path::PathBuf,
    time::{Duration, Instant, SystemTime},
};

use super::outcome::{Failure, FileOutcome, Snapshots, State, TestOutcome};
use crate::diagnostic::Diagnostic;

/// More failures outside of tests are not kept of a file.
const MOST_ERRORS: usize = 100;

/// A file that is being run.
pub(super) struct Running {
    /// What came of it so far.
    pub(super) outcome: FileOutcome,
    /// When it was started.
    pub(super) began: Instant,
    /// The test that is running, empty outside of any.
    pub(super) test: String,
    /// The tests of which nothing was heard yet.
    pub(super) planned: Vec<TestOutcome>,
    /// When it must have been heard of; none where the author has set no limit.
    pub(super) expected: Option<Instant>,
}

impl Running {
    /// One that begins now.
    pub(super) fn of(file: PathBuf, expected: Instant) -> Self {
        let outcome = FileOutcome {
            file,
            tests: Vec::new(),
            errors: Vec::new(),
            notes: Vec::new(),
            snapshots: Snapshots::default(),
            began: SystemTime::now(),
            took: Duration::ZERO,
        };
        let expected = Some(expected);
        Running { outcome, began: Instant::now(), test: String::new(), planned: Vec::new(), expected }
    }

    /// What is being run, for messages.
    pub(super) fn who(&self) -> String {
        if self.test.is_empty() { "the file".to_owned() } else { format!("the test {}", self.test) }
    }

    /// A test is over.
    pub(super) fn has_ended(&mut self, test: TestOutcome) {
        self.test.clear();
        let is_it = |planned: &TestOutcome| planned.title == test.title && planned.ancestors == test.ancestors;
        // Tests end in the order of the plan, nearly always.
        if let Some(index) = self.planned.iter().position(is_it) {
            self.planned.remove(index);
        }
        self.outcome.tests.push(test);
    }

    /// It could not be interrupted, and nobody waits for it any more: the test that is running has failed, or else the file. Says
    /// whether it was a test.
    pub(super) fn give_up(&mut self) -> bool {
        self.fail(format!("{} timed out and could not be interrupted", self.who()))
    }

    /// The user has ended everything: the test that is running has failed, or else the file.
    pub(super) fn break_off(&mut self) {
        self.fail(format!("{} was interrupted", self.who()));
        self.leave_the_rest("interrupted");
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

    /// Nothing more is heard of it. That a test was neither run nor left out is a failure: a script may have broken what runs tests.
    pub(super) fn close(&mut self) {
        if !self.planned.is_empty() && self.outcome.errors.is_empty() && self.outcome.is_ok() {
            let diagnostic = Diagnostic::new(format!("{} of its tests were not run", self.planned.len()));
            self.outcome.errors.push(Failure { diagnostic, diff: None, context: None });
        }
        self.leave_the_rest("not run");
    }

    /// Something failed outside of any test; the same again says nothing new.
    pub(super) fn has_failed(&mut self, failure: Failure) {
        let is_same = |other: &Failure| other.diagnostic == failure.diagnostic && other.context == failure.context;
        if !self.outcome.errors.iter().any(is_same) && self.outcome.errors.len() < MOST_ERRORS {
            self.outcome.errors.push(failure);
        }
    }

    /// The tests of which nothing was heard are not run any more.
    pub(super) fn leave_the_rest(&mut self, why: &str) {
        let rest = std::mem::take(&mut self.planned);
        self.outcome.tests.extend(rest.into_iter().map(|test| TestOutcome { note: Some(why.to_owned()), ..test }));
    }
}
