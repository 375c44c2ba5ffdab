//! Messages from the thread of a test file to the pool, and the reporter that sends them.

use std::{
    cell::{Cell, RefCell},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::Sender,
    },
    time::Duration,
};

use super::{
    options::Watcher,
    outcome::{Failure, Snapshots, State, TestOutcome},
    recordings::{FileRecordings, RecordedUse},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{bindings::testing::TestHost, session::without_secrets};
use lmthing_node::{LineBuffer, ScriptHost};
use lmthing_providers::Redactor;

#[derive(Debug)]
pub(super) enum Message {
    /// The tests of the file, before any has run.
    Plan(Vec<TestOutcome>),
    /// A test or the hooks of a suite begin, with their time limit.
    Begin(String, Option<Duration>),
    /// A failure is described, which may take this long.
    Describe(Duration),
    Printed(String),
    /// A test has ended or was skipped.
    Test(Box<TestOutcome>),
    /// A failure outside of any test.
    Error(Box<Failure>),
    /// Notes for the user, and the snapshot counts.
    File(Vec<String>, Snapshots),
    /// What the file has used of recordings.
    Recorded(RecordedUse),
    /// The last message of a file.
    End,
}

/// Counts failures against the limit (`--bail`). Shared by the threads, as their messages are handled with a delay.
#[derive(Default)]
pub(super) struct Bail {
    max: Option<NonZeroUsize>,
    failed: AtomicUsize,
    is_stopped: AtomicBool,
}

impl Bail {
    pub(super) fn new(max: Option<NonZeroUsize>) -> Arc<Self> {
        Arc::new(Bail { max, ..Bail::default() })
    }

    pub(super) fn failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Starts no more tests, whatever the count of failures.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether no more tests may start.
    pub(super) fn is_reached(&self) -> bool {
        let is_enough = self.max.is_some_and(|max| self.failed.load(Ordering::Relaxed) >= max.get());
        is_enough || self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Reports everything that happens in a file, from the thread of its engine.
pub(super) struct FileReporter {
    pub(super) index: usize,
    pub(super) sender: Sender<(usize, Message)>,
    pub(super) bail: Arc<Bail>,
    pub(super) redactor: Redactor,
    pub(super) recordings: Rc<FileRecordings>,
    pub(super) started_tests: Cell<usize>,
    pub(super) is_test_running: Cell<bool>,
    /// Whether every test so far has run and passed.
    pub(super) all_passed: Cell<bool>,
    pub(super) watcher: Option<Arc<dyn Watcher>>,
    pub(super) snapshot_file: PathBuf,
    /// The incomplete line that scripts have printed.
    pub(super) lines: RefCell<LineBuffer>,
}

impl FileReporter {
    pub(super) fn send(&self, message: Message) {
        // The receiver is gone after an interrupt.
        let _ = self.sender.send((self.index, message));
    }

    /// Values compared in tests may contain secrets.
    fn redact_failure(&self, failure: Failure) -> Failure {
        let Failure { diagnostic, diff, context } = failure;
        let apply = |text: Option<String>| text.map(|text| self.redactor.apply(&text));
        let diagnostic = without_secrets(diagnostic, &self.redactor);
        Failure { diagnostic, diff: apply(diff), context: apply(context) }
    }

    /// Titles of tests that are generated from tables may contain secrets.
    fn redact_test(&self, test: TestOutcome) -> TestOutcome {
        TestOutcome {
            ancestors: test.ancestors.iter().map(|title| self.redactor.apply(title)).collect(),
            title: self.redactor.apply(&test.title),
            note: test.note.map(|note| self.redactor.apply(&note)),
            failures: test.failures.into_iter().map(|failure| self.redact_failure(failure)).collect(),
            ..test
        }
    }

    fn print(&self, bytes: &[u8]) {
        let lines = self.lines.borrow_mut().push(bytes);
        lines.iter().for_each(|lines| self.send_text(lines));
    }

    fn send_text(&self, text: &str) {
        if !text.is_empty() {
            self.send(Message::Printed(self.redactor.apply(text)));
        }
    }

    /// Prints the incomplete line before the output of the next test.
    pub(super) fn end_printing(&self) {
        let incomplete = self.lines.borrow_mut().take();
        self.send_text(&incomplete);
    }
}

impl TestHost for FileReporter {
    fn begin(&self, test: &str, limit: Option<Duration>) {
        self.end_printing();
        self.send(Message::Begin(self.redactor.apply(test), limit));
    }

    fn describe(&self, limit: Duration) {
        self.send(Message::Describe(limit));
    }

    fn plan(&self, tests: Vec<TestOutcome>) {
        self.send(Message::Plan(tests.into_iter().map(|test| self.redact_test(test)).collect()));
    }

    fn start(&self, _test: &str) {
        let index = self.started_tests.get();
        self.started_tests.set(index + 1);
        self.recordings.begin_test(index);
        self.is_test_running.set(true);
    }

    fn attempt(&self) {
        self.recordings.current().begin_attempt();
    }

    fn fault(&self) -> Option<Diagnostic> {
        self.recordings.current().take_fault()
    }

    fn test(&self, outcome: TestOutcome) {
        self.end_printing();
        // A skipped test has never started.
        if self.is_test_running.take() {
            self.recordings.end_test(outcome.state == State::Passed);
        }
        self.all_passed.set(self.all_passed.get() && matches!(outcome.state, State::Passed | State::Todo));
        if outcome.state == State::Failed {
            self.bail.failed();
        }
        self.send(Message::Test(Box::new(self.redact_test(outcome))));
    }

    fn error(&self, failure: Failure) {
        self.end_printing();
        self.all_passed.set(false);
        self.bail.failed();
        self.send(Message::Error(Box::new(self.redact_failure(failure))));
    }

    fn file(&self, notes: Vec<String>, snapshots: Snapshots) {
        if let Some(watcher) = &self.watcher {
            watcher.wrote(&self.snapshot_file);
        }
        let notes = notes.iter().map(|note| self.redactor.apply(note)).collect();
        self.send(Message::File(notes, snapshots));
    }

    fn is_stopped(&self) -> bool {
        self.bail.is_reached()
    }
}

impl ScriptHost for FileReporter {
    fn write_stdout(&self, text: &str) {
        self.print(text.as_bytes());
    }

    fn write_stdout_bytes(&self, bytes: &[u8]) {
        self.print(bytes);
    }

    fn write_stderr(&self, text: &str) {
        self.print(text.as_bytes());
    }

    fn write_stderr_bytes(&self, bytes: &[u8]) {
        self.print(bytes);
    }

    fn warn(&self, message: &str) {
        let incomplete = self.lines.borrow_mut().take();
        let end = if incomplete.is_empty() { "" } else { "\n" };
        self.send_text(&format!("{incomplete}{end}Warning: {message}\n"));
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.redactor.learn_named(name, value);
    }

    fn flush(&self) {
        self.end_printing();
    }

    fn diverts_stdout(&self) -> bool {
        true
    }

    fn has_stdin(&self) -> bool {
        false
    }

    fn note_read(&self, file: &Path) {
        if let Some(watcher) = &self.watcher {
            watcher.note_read(file);
        }
    }

    fn is_watched(&self) -> bool {
        self.watcher.is_some()
    }
}
