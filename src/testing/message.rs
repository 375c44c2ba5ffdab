//! What the thread that runs a file says to the one that waits for it. Must not know what is made of it.

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
    lines::Lines,
    options::Watcher,
    outcome::{Failure, Snapshots, State, TestOutcome},
    recordings::FileRecordings,
};
use crate::{
    diagnostic::Diagnostic,
    provider::Redactor,
    script::{ScriptHost, bindings::testing::TestHost},
    session::without_secrets,
};

/// Something that happened in a file.
#[derive(Debug)]
pub(super) enum Message {
    /// The tests there are, none of which has run.
    Plan(Vec<TestOutcome>),
    /// Something begins: the test, or the suite whose hooks run, and how long it may take.
    Begin(String, Option<Duration>),
    /// A script has printed something.
    Printed(String),
    /// A test is over, or was left out.
    Test(Box<TestOutcome>),
    /// Something failed outside of any test.
    Error(Box<Failure>),
    /// What a person should know of the file, and what happened to its snapshots.
    File(Vec<String>, Snapshots),
    /// Nothing more comes from this file.
    End,
}

/// How many failures there were, and how many are enough (`--bail`). Asked by the threads themselves: what they tell is heard later.
#[derive(Default)]
pub(super) struct Bail {
    most: Option<NonZeroUsize>,
    failed: AtomicUsize,
    is_stopped: AtomicBool,
}

impl Bail {
    pub(super) fn new(most: Option<NonZeroUsize>) -> Arc<Self> {
        Arc::new(Bail { most, ..Bail::default() })
    }

    /// Something has failed.
    pub(super) fn failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// No more tests are to begin, whatever came of those before.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether no more tests are to begin.
    pub(super) fn is_reached(&self) -> bool {
        let is_enough = self.most.is_some_and(|most| self.failed.load(Ordering::Relaxed) >= most.get());
        is_enough || self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Who is told of everything that happens in a file, in its engine's thread.
pub(super) struct Teller {
    pub(super) index: usize,
    pub(super) sender: Sender<(usize, Message)>,
    pub(super) bail: Arc<Bail>,
    pub(super) redactor: Redactor,
    pub(super) recordings: Rc<FileRecordings>,
    /// How many tests have begun.
    pub(super) begun: Cell<usize>,
    /// Whether a test is running.
    pub(super) is_running: Cell<bool>,
    /// Whether everything in the file was run and passed so far.
    pub(super) is_whole: Cell<bool>,
    /// Who hears of the files that the tests are made of.
    pub(super) watcher: Option<Arc<dyn Watcher>>,
    /// Where the snapshots are.
    pub(super) snapshots: PathBuf,
    /// What scripts have printed of a line.
    pub(super) lines: RefCell<Lines>,
}

impl Teller {
    /// Sends it. That nobody listens any more is no failure of the file.
    pub(super) fn tell(&self, message: Message) {
        let _ = self.sender.send((self.index, message));
    }

    /// What tests compare may hold a key.
    fn redacted(&self, failure: Failure) -> Failure {
        let Failure { diagnostic, diff, context } = failure;
        let apply = |text: Option<String>| text.map(|text| self.redactor.apply(&text));
        let diagnostic = without_secrets(diagnostic, &self.redactor);
        Failure { diagnostic, diff: apply(diff), context: apply(context) }
    }

    /// So may the titles of tests that are made of tables.
    fn redacted_test(&self, test: TestOutcome) -> TestOutcome {
        TestOutcome {
            ancestors: test.ancestors.iter().map(|title| self.redactor.apply(title)).collect(),
            title: self.redactor.apply(&test.title),
            note: test.note.map(|note| self.redactor.apply(&note)),
            failures: test.failures.into_iter().map(|failure| self.redacted(failure)).collect(),
            ..test
        }
    }

    fn print(&self, bytes: &[u8]) {
        let lines = self.lines.borrow_mut().push(bytes);
        lines.iter().for_each(|lines| self.show(lines));
    }

    fn show(&self, text: &str) {
        if !text.is_empty() {
            self.tell(Message::Printed(self.redactor.apply(text)));
        }
    }

    /// Shows the line that was begun: what comes next is somebody else's.
    pub(super) fn end_printing(&self) {
        let begun = self.lines.borrow_mut().take();
        self.show(&begun);
    }
}

impl TestHost for Teller {
    fn begin(&self, test: &str, limit: Option<Duration>) {
        self.end_printing();
        self.tell(Message::Begin(self.redactor.apply(test), limit));
    }

    fn plan(&self, tests: Vec<TestOutcome>) {
        self.tell(Message::Plan(tests.into_iter().map(|test| self.redacted_test(test)).collect()));
    }

    fn start(&self, _test: &str) {
        let index = self.begun.get();
        self.begun.set(index + 1);
        self.recordings.begin_test(index);
        self.is_running.set(true);
    }

    fn attempt(&self) {
        self.recordings.current().begin_attempt();
    }

    fn fault(&self) -> Option<Diagnostic> {
        self.recordings.current().take_fault()
    }

    fn test(&self, outcome: TestOutcome) {
        self.end_printing();
        // One that was left out has never begun.
        if self.is_running.take() {
            self.recordings.end_test(outcome.state == State::Passed);
        }
        self.is_whole.set(self.is_whole.get() && matches!(outcome.state, State::Passed | State::Todo));
        if outcome.state == State::Failed {
            self.bail.failed();
        }
        self.tell(Message::Test(Box::new(self.redacted_test(outcome))));
    }

    fn error(&self, failure: Failure) {
        self.end_printing();
        self.is_whole.set(false);
        self.bail.failed();
        self.tell(Message::Error(Box::new(self.redacted(failure))));
    }

    fn file(&self, notes: Vec<String>, snapshots: Snapshots) {
        if let Some(watcher) = &self.watcher {
            watcher.wrote(&self.snapshots);
        }
        let notes = notes.iter().map(|note| self.redactor.apply(note)).collect();
        self.tell(Message::File(notes, snapshots));
    }

    fn is_stopped(&self) -> bool {
        self.bail.is_reached()
    }
}

impl ScriptHost for Teller {
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
        let begun = self.lines.borrow_mut().take();
        let end = if begun.is_empty() { "" } else { "\n" };
        self.show(&format!("{begun}{end}Warning: {message}\n"));
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

    fn looked_for(&self, file: &Path) {
        if let Some(watcher) = &self.watcher {
            watcher.looked_for(file);
        }
    }

    fn is_watched(&self) -> bool {
        self.watcher.is_some()
    }
}
