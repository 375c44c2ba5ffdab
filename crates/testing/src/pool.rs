//! Runs the test files on a thread each, several at once, and reports their results in order.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use super::{
    file::{self, FileJob},
    message::{Bail, Message},
    options::{Subject, TestOptions},
    outcome::{Failure, FileOutcome, State, Totals},
    running_file::RunningFile,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::THREAD_STACK_SIZE;
use lmthing_system::threads::ThreadOptions;

/// Added to a script's limit before its thread is abandoned: the engine cannot interrupt calls such as
/// `Atomics.wait`.
const GRACE_PERIOD: Duration = Duration::from_secs(3);

/// The time that a file may take between two tests.
const BETWEEN_TESTS: Duration = Duration::from_secs(30);

/// The longest time between two calls of `Listener::progress`.
const TICK: Duration = Duration::from_millis(100);

/// Receives the progress of a test run.
pub trait Listener {
    /// A script has printed something; `test` is empty outside of tests.
    fn printed(&mut self, file: &Path, test: &str, text: &str);

    /// Called after each message and each tick.
    fn progress(&mut self, progress: &Progress<'_>);

    /// A file has ended. Called in the order of the files.
    fn file(&mut self, file: &FileOutcome);

    /// Whether the run is to stop now.
    fn is_interrupted(&mut self) -> bool {
        false
    }
}

/// The counts so far.
pub struct Progress<'a> {
    pub done: usize,
    pub files: usize,
    pub passed: usize,
    pub failed: usize,
    pub running: Vec<&'a Path>,
}

/// Runs the files and reports to the listener.
pub fn run_tests(subjects: &[Subject], options: &TestOptions, listener: &mut dyn Listener) -> Totals {
    let began = Instant::now();
    let mut pool = Pool::new(subjects, options);
    pool.run(listener);
    pool.totals.took = began.elapsed();
    pool.totals
}

struct Pool<'a> {
    subjects: &'a [Subject],
    options: &'a TestOptions,
    bail: Arc<Bail>,
    sender: Sender<(usize, Message)>,
    receiver: Receiver<(usize, Message)>,
    running: BTreeMap<usize, RunningFile>,
    /// Ended files that wait for the ones before them to be reported.
    ended: BTreeMap<usize, FileOutcome>,
    next: usize,
    /// The index of the next file to report.
    next_report: usize,
    passed: usize,
    failed: usize,
    totals: Totals,
}

impl<'a> Pool<'a> {
    fn new(subjects: &'a [Subject], options: &'a TestOptions) -> Self {
        let (sender, receiver) = channel();
        Pool {
            subjects,
            options,
            bail: Bail::new(options.bail),
            sender,
            receiver,
            running: BTreeMap::new(),
            ended: BTreeMap::new(),
            next: 0,
            next_report: 0,
            passed: 0,
            failed: 0,
            totals: Totals::default(),
        }
    }

    fn run(&mut self, listener: &mut dyn Listener) {
        while self.next_report < self.subjects.len() {
            while self.running.len() < self.options.jobs.get() && self.next < self.subjects.len() {
                self.start();
            }
            match self.receiver.recv_timeout(self.until_next()) {
                Ok((index, message)) => self.handle(index, message, listener),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("the pool has a sender itself"),
            }
            self.abandon_unresponsive();
            self.report(listener);
            listener.progress(&self.progress());
            if listener.is_interrupted() {
                return self.interrupt(listener);
            }
        }
    }

    /// Reports the files that have ended, and the finished tests of those that are running.
    fn interrupt(&mut self, listener: &mut dyn Listener) {
        self.bail.stop();
        for (index, mut running) in std::mem::take(&mut self.running) {
            running.interrupt();
            self.ended.insert(index, running.outcome);
        }
        for outcome in std::mem::take(&mut self.ended).into_values() {
            self.totals.add(&outcome);
            listener.file(&outcome);
        }
    }

    fn start(&mut self) {
        let index = self.next;
        self.next += 1;
        let subject = self.subjects[index].clone();
        self.running.insert(index, RunningFile::of(subject.file.clone(), Instant::now() + BETWEEN_TESTS));
        let (options, bail, sender) = (self.options.clone(), self.bail.clone(), self.sender.clone());
        let job = FileJob { index, subject, options, bail, sender };
        // A thread for each file, unlike in a `ThreadPool`: files are isolated from each other, and `--jobs` may exceed
        // the number of processors.
        let thread_options = ThreadOptions { name: "lmthing-test", stack_size: THREAD_STACK_SIZE };
        if let Err(error) = thread_options.spawn(move || file::run(job)) {
            self.fail(index, format!("cannot start a thread: {error}"));
        }
    }

    /// The time until the next tick or deadline.
    fn until_next(&self) -> Duration {
        let now = Instant::now();
        let first = self.running.values().filter_map(|running| running.deadline).min();
        first.map_or(TICK, |first| first.saturating_duration_since(now).min(TICK))
    }

    fn handle(&mut self, index: usize, message: Message, listener: &mut dyn Listener) {
        // An abandoned thread may still send messages.
        let Some(running) = self.running.get_mut(&index) else { return };
        match message {
            Message::Begin(test, limit) => {
                running.test = test;
                running.deadline = limit.map(|limit| Instant::now() + limit + GRACE_PERIOD);
            }
            Message::Describe(limit) => {
                let end = Instant::now() + limit + GRACE_PERIOD;
                running.deadline = running.deadline.map(|deadline| deadline.max(end));
            }
            Message::Printed(text) => listener.printed(&running.outcome.file, &running.test, &text),
            Message::Plan(tests) => running.planned = tests,
            Message::Test(test) => {
                running.deadline = Some(Instant::now() + BETWEEN_TESTS);
                let state = test.state;
                running.end_test(*test);
                self.count(state);
            }
            Message::Error(failure) => running.add_error(*failure),
            Message::File(notes, snapshots) => {
                running.deadline = Some(Instant::now() + BETWEEN_TESTS);
                running.outcome.notes.extend(notes);
                running.outcome.snapshots = snapshots;
            }
            Message::Recorded(recorded) => running.outcome.recorded = recorded,
            Message::End => self.end(index),
        }
    }

    fn count(&mut self, state: State) {
        match state {
            State::Passed => self.passed += 1,
            State::Failed => self.failed += 1,
            State::Skipped | State::Todo => {}
        }
    }

    fn end(&mut self, index: usize) {
        let Some(mut running) = self.running.remove(&index) else { return };
        if running.close() {
            self.failed += 1;
            self.bail.failed();
        }
        running.outcome.took = running.began.elapsed();
        self.ended.insert(index, running.outcome);
    }

    fn fail(&mut self, index: usize, message: String) {
        if let Some(running) = self.running.get_mut(&index) {
            let diagnostic = Diagnostic::new(message);
            running.outcome.errors.push(Failure { diagnostic, diff: None, context: None });
            self.bail.failed();
        }
        self.end(index);
    }

    /// Abandons threads past their deadline: their scripts cannot be interrupted.
    fn abandon_unresponsive(&mut self) {
        let now = Instant::now();
        let is_overdue = |running: &RunningFile| running.deadline.is_some_and(|deadline| deadline <= now);
        let overdue: Vec<usize> =
            self.running.iter().filter(|(_, running)| is_overdue(running)).map(|(index, _)| *index).collect();
        for index in overdue {
            let Some(running) = self.running.get_mut(&index) else { continue };
            self.failed += usize::from(running.fail_unresponsive());
            self.bail.failed();
            running.skip_remaining("not run, as the test before could not be interrupted");
            self.end(index);
        }
    }

    fn report(&mut self, listener: &mut dyn Listener) {
        while let Some(outcome) = self.ended.remove(&self.next_report) {
            self.totals.add(&outcome);
            listener.file(&outcome);
            self.next_report += 1;
        }
    }

    fn progress(&self) -> Progress<'_> {
        Progress {
            done: self.next_report + self.ended.len(),
            files: self.subjects.len(),
            passed: self.passed,
            failed: self.failed,
            running: self.running.values().map(|running| running.outcome.file.as_path()).collect(),
        }
    }
}
