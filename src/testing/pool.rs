//! All files, several at once: a thread for each that runs, and one that hears of them all, keeps their results in order, and
//! gives up on a thread that says nothing any more. Must not know what is shown.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    file::{self, Work},
    message::{Bail, Message},
    options::{Subject, TestOptions},
    outcome::{Failure, FileOutcome, State, Totals},
    running::Running,
};
use crate::{diagnostic::Diagnostic, script::THREAD_STACK_SIZE};

/// How much longer than a script's limit is waited for it: for what the engine does not interrupt, such as `Atomics.wait`.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a file may say nothing between two tests.
const SILENCE: Duration = Duration::from_secs(30);

/// How often a listener may show that time goes by.
const TICK: Duration = Duration::from_millis(100);

/// Hears how the tests are going.
pub(crate) trait Listener {
    /// A script has printed something, within a test if it has a name.
    fn printed(&mut self, file: &Path, test: &str, text: &str);

    /// Something has happened, or some time gone by.
    fn progress(&mut self, progress: &Progress<'_>);

    /// A file is done; called in the order of the files.
    fn file(&mut self, file: &FileOutcome);

    /// Whether everything is to be broken off, now.
    fn is_interrupted(&mut self) -> bool {
        false
    }
}

/// How far it all is.
pub(crate) struct Progress<'a> {
    /// Files that are done.
    pub(crate) done: usize,
    /// Files in all.
    pub(crate) files: usize,
    /// Tests that passed so far.
    pub(crate) passed: usize,
    /// Tests that failed so far.
    pub(crate) failed: usize,
    /// The files that are running.
    pub(crate) running: Vec<&'a Path>,
}

/// Runs the files and tells the listener of each.
pub(crate) fn run_tests(subjects: &[Subject], options: &TestOptions, listener: &mut dyn Listener) -> Totals {
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
    running: BTreeMap<usize, Running>,
    /// Done, and waiting for those before them.
    waiting: BTreeMap<usize, FileOutcome>,
    next: usize,
    /// The first file that was not reported yet.
    due: usize,
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
            waiting: BTreeMap::new(),
            next: 0,
            due: 0,
            passed: 0,
            failed: 0,
            totals: Totals::default(),
        }
    }

    fn run(&mut self, listener: &mut dyn Listener) {
        while self.due < self.subjects.len() {
            while self.running.len() < self.options.jobs.get() && self.next < self.subjects.len() {
                self.start();
            }
            match self.receiver.recv_timeout(self.until_next()) {
                Ok((index, message)) => self.hear(index, message, listener),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("the pool has a sender itself"),
            }
            self.give_up_on_the_silent();
            self.report(listener);
            listener.progress(&self.progress());
            if listener.is_interrupted() {
                return self.break_off(listener);
            }
        }
    }

    /// Reports what is done; of a file that is running, the tests that are over.
    fn break_off(&mut self, listener: &mut dyn Listener) {
        self.bail.stop();
        for (index, mut running) in std::mem::take(&mut self.running) {
            running.break_off();
            self.waiting.insert(index, running.outcome);
        }
        for outcome in std::mem::take(&mut self.waiting).into_values() {
            self.totals.add(&outcome);
            listener.file(&outcome);
        }
    }

    fn start(&mut self) {
        let index = self.next;
        self.next += 1;
        let subject = self.subjects[index].clone();
        self.running.insert(index, Running::of(subject.file.clone(), Instant::now() + SILENCE));
        let (options, bail, sender) = (self.options.clone(), self.bail.clone(), self.sender.clone());
        let work = Work { index, subject, options, bail, sender };
        let thread = thread::Builder::new().name("lmthing-test".into()).stack_size(THREAD_STACK_SIZE);
        if let Err(error) = thread.spawn(move || file::run(work)) {
            self.fail(index, format!("cannot start a thread: {error}"));
        }
    }

    /// How long nothing need be done.
    fn until_next(&self) -> Duration {
        let now = Instant::now();
        let first = self.running.values().filter_map(|running| running.expected).min();
        first.map_or(TICK, |first| first.saturating_duration_since(now).min(TICK))
    }

    fn hear(&mut self, index: usize, message: Message, listener: &mut dyn Listener) {
        // A thread that was given up may still find its voice.
        let Some(running) = self.running.get_mut(&index) else { return };
        match message {
            Message::Begin(test, limit) => {
                running.test = test;
                running.expected = limit.map(|limit| Instant::now() + limit + PATIENCE);
            }
            Message::Printed(text) => listener.printed(&running.outcome.file, &running.test, &text),
            Message::Plan(tests) => running.planned = tests,
            Message::Test(test) => {
                running.expected = Some(Instant::now() + SILENCE);
                let state = test.state;
                running.has_ended(*test);
                self.count(state);
            }
            Message::Error(failure) => running.has_failed(*failure),
            Message::File(notes, snapshots) => {
                running.expected = Some(Instant::now() + SILENCE);
                running.outcome.notes.extend(notes);
                running.outcome.snapshots = snapshots;
            }
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
        running.close();
        running.outcome.took = running.began.elapsed();
        self.waiting.insert(index, running.outcome);
    }

    fn fail(&mut self, index: usize, message: String) {
        if let Some(running) = self.running.get_mut(&index) {
            let diagnostic = Diagnostic::new(message);
            running.outcome.errors.push(Failure { diagnostic, diff: None, context: None });
            self.bail.failed();
        }
        self.end(index);
    }

    /// A script that neither ends nor lets itself be interrupted keeps its thread; nobody waits for it any more.
    fn give_up_on_the_silent(&mut self) {
        let now = Instant::now();
        let is_silent = |running: &Running| running.expected.is_some_and(|expected| expected <= now);
        let silent: Vec<usize> =
            self.running.iter().filter(|(_, running)| is_silent(running)).map(|(index, _)| *index).collect();
        for index in silent {
            let Some(running) = self.running.get_mut(&index) else { continue };
            self.failed += usize::from(running.give_up());
            self.bail.failed();
            running.leave_the_rest("not run, as the test before could not be interrupted");
            self.end(index);
        }
    }

    fn report(&mut self, listener: &mut dyn Listener) {
        while let Some(outcome) = self.waiting.remove(&self.due) {
            self.totals.add(&outcome);
            listener.file(&outcome);
            self.due += 1;
        }
    }

    fn progress(&self) -> Progress<'_> {
        Progress {
            done: self.due + self.waiting.len(),
            files: self.subjects.len(),
            passed: self.passed,
            failed: self.failed,
            running: self.running.values().map(|running| running.outcome.file.as_path()).collect(),
        }
    }
}
