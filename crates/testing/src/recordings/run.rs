//! One test and its runs: selects the exchange that answers a request, or the model.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    path::Path,
    pin::Pin,
    rc::Rc,
    sync::Arc,
};

use super::{
    Mode, RECORDED_MODEL, messages,
    recording::{Entry, Origin, RequestKey, SharedRecording, TestKey, Unusable},
    store::RecordingStore,
    tested_file::TestedFile,
};
use lmthing_base::diagnostic::{Diagnostic, Location};
use lmthing_providers::{RecordedExchange, Redactor, ReplayRequest, split_name};

/// A running test with all its repetitions.
pub(super) struct Test {
    pub(super) store: Arc<RecordingStore>,
    file: Rc<TestedFile>,
    key: TestKey,
    request_count: Cell<usize>,
    /// How often it has used each exchange, by recording and index.
    played: RefCell<BTreeMap<(Arc<Path>, usize), usize>>,
    recordings: RefCell<Vec<Arc<SharedRecording>>>,
    /// The requests of the test file itself in this repetition.
    own: RefCell<Option<Rc<Run>>>,
    fault: RefCell<Option<Diagnostic>>,
    passed: Cell<Option<bool>>,
    /// Which of several equal exchanges answers a request, from 0; unset if the least used one does.
    turn: Option<usize>,
}

impl Test {
    pub(super) fn new(store: Arc<RecordingStore>, file: Rc<TestedFile>, index: usize) -> Rc<Self> {
        Test::with_turn(store, file, index, None)
    }

    pub(super) fn in_turn(store: Arc<RecordingStore>, file: Rc<TestedFile>, index: usize, turn: usize) -> Rc<Self> {
        Test::with_turn(store, file, index, Some(turn))
    }

    fn with_turn(store: Arc<RecordingStore>, file: Rc<TestedFile>, index: usize, turn: Option<usize>) -> Rc<Self> {
        let key = TestKey { file: file.path.clone(), index };
        Rc::new(Test {
            store,
            file,
            key,
            request_count: Cell::new(0),
            played: RefCell::default(),
            recordings: RefCell::default(),
            own: RefCell::default(),
            fault: RefCell::default(),
            passed: Cell::new(None),
            turn,
        })
    }

    pub(super) fn begin_attempt(&self) {
        self.own.take();
    }

    pub(super) fn end(&self, passed: bool) {
        self.passed.set(Some(passed));
        self.own.take();
        for recording in &*self.recordings.borrow() {
            if let Some(mut recording) = recording.lock() {
                recording.end_test(&self.key, passed);
                if passed {
                    // Also without requests: the recording has to exist.
                    recording.users.insert(self.key.file.clone());
                }
            }
            recording.notify();
        }
    }

    pub(super) fn note_fault(&self, fault: &Diagnostic) {
        self.fault.borrow_mut().get_or_insert_with(|| fault.clone());
    }

    pub(super) fn fault(&self) -> Option<Diagnostic> {
        self.fault.borrow().clone()
    }

    pub(super) fn take_fault(&self) -> Option<Diagnostic> {
        self.fault.take()
    }

    pub(super) fn refused(&self, model: &str) -> Box<Diagnostic> {
        let fault = messages::refused(model, &self.file);
        self.note_fault(&fault);
        Box::new(fault)
    }

    /// The run of the requests of the test file itself; `model` is named in the error if there is no recording.
    pub(super) fn own_run(self: &Rc<Self>, model: &str) -> Result<Rc<Run>, Box<Diagnostic>> {
        if let Some(run) = &*self.own.borrow() {
            return Ok(run.clone());
        }
        let run = self.open(&self.file.own, false, || messages::refused_own(model, &self.file));
        let run = run.inspect_err(|fault| self.note_fault(fault))?;
        // The run has no end of its own; its partial exchanges count from the start.
        run.end();
        self.own.replace(Some(run.clone()));
        Ok(run)
    }

    pub(super) fn run(self: &Rc<Self>, path: &Path) -> Result<Rc<Run>, Box<Diagnostic>> {
        self.open(path, true, || messages::unusable(path, &Unusable::Missing, &self.file))
    }

    fn open(
        self: &Rc<Self>,
        path: &Path,
        is_named: bool,
        missing: impl FnOnce() -> Diagnostic,
    ) -> Result<Rc<Run>, Box<Diagnostic>> {
        let recording = self.store.recording(path);
        recording.read(self.store.mode.is_recording()).map_err(|why| match why {
            Unusable::Missing => missing(),
            why => messages::unusable(&recording.path, why, &self.file),
        })?;
        if let Some(mut recording) = recording.lock() {
            recording.is_named |= is_named;
        }
        let mut recordings = self.recordings.borrow_mut();
        if !recordings.iter().any(|known| Arc::ptr_eq(known, &recording)) {
            recordings.push(recording.clone());
        }
        Ok(Rc::new(Run {
            test: self.clone(),
            location: RefCell::default(),
            recording,
            played: RefCell::default(),
            partial: RefCell::default(),
            is_complete: Cell::new(false),
        }))
    }
}

pub(super) struct Run {
    test: Rc<Test>,
    /// The call that has begun it.
    location: RefCell<Option<Location>>,
    recording: Arc<SharedRecording>,
    played: RefCell<BTreeSet<usize>>,
    /// The indexes of its failures and partial answers.
    partial: RefCell<Vec<usize>>,
    /// Stays false for a cancelled run: where it was cancelled depends on timing.
    is_complete: Cell<bool>,
}

pub(super) enum Next<'a> {
    Play(Arc<RecordedExchange>),
    Ask(Ticket),
    /// Another test waits for the same answer: check again when the future resolves.
    Wait(Pin<Box<dyn Future<Output = ()> + 'a>>),
    Fail(Box<Diagnostic>),
}

impl Run {
    pub(super) fn end(&self) {
        self.is_complete.set(true);
        let Some(mut recording) = self.recording.lock() else { return };
        for index in self.partial.take() {
            recording.entries[index].origin = self.origin_of_partial();
        }
    }

    pub(super) fn called_at(&self, location: Option<Location>) {
        self.location.replace(location);
    }

    /// Notes why a request of this run has no answer.
    pub(super) fn note_fault(&self, fault: &Diagnostic) {
        self.test.note_fault(&Diagnostic { location: self.location.borrow().clone(), ..fault.clone() });
    }

    fn origin_of_partial(&self) -> Origin {
        let may_count = self.is_complete.get() && self.test.passed.get().is_none();
        if may_count { Origin::Partial(self.test.key.clone()) } else { Origin::Discarded }
    }

    pub(super) fn begin_request(&self) -> RequestKey {
        let number = self.test.request_count.get();
        self.test.request_count.set(number + 1);
        (self.test.key.clone(), number)
    }

    pub(super) fn next(self: &Rc<Self>, asked: &ReplayRequest, request: &RequestKey, redactor: &Redactor) -> Next<'_> {
        let Some(mut recording) = self.recording.lock() else {
            unreachable!("a run begins with a recording that was read")
        };
        recording.users.insert(self.test.key.file.clone());
        let entries = recording.entries.iter().enumerate();
        let equal =
            entries.filter(|(index, entry)| self.may_play(*index, entry) && asked.is_answered_by(&entry.exchange));
        let equal: Vec<usize> = equal.map(|(index, _)| index).collect();
        recording.is_played_twice |= self.test.turn.is_some_and(|turn| (1..=turn).contains(&equal.len()));
        if let Some(index) = self.choose(&equal) {
            if recording.entries[index].used.is_none() {
                self.test.file.answers.note(recording.entries[index].exchange.usage());
            }
            self.count_use(index);
            return Next::Play(recording.use_entry(index, request.clone()));
        }
        let is_never_asked = split_name(RECORDED_MODEL) == (asked.provider.as_str(), asked.model.as_str());
        if self.test.store.mode == Mode::Replay || is_never_asked {
            let total = recording.entries.len();
            let left = recording.entries.iter().enumerate().filter(|(index, _)| !self.played.borrow().contains(index));
            // Exchanges that have answered another request come last as candidates for the error message.
            let (used, unused): (Vec<_>, Vec<_>) = left.partition(|(_, entry)| entry.used.is_some());
            let left = unused.into_iter().chain(used).map(|(index, entry)| (index, &*entry.exchange));
            let why = asked.mismatch_message(left, total, &messages::shown(&self.recording.path), redactor);
            let fault = match is_never_asked {
                true => messages::no_match_of_export(why),
                false => messages::no_match(why, &self.test.file),
            };
            return Next::Fail(Box::new(fault));
        }
        if self.test.turn.is_none() && recording.is_requested_by_other(asked, &self.test.key) {
            return Next::Wait(Box::pin(self.recording.changed()));
        }
        recording.active_requests.push((self.test.key.clone(), asked.clone()));
        Next::Ask(Ticket { run: self.clone(), asked: asked.clone(), request: request.clone() })
    }

    /// The exchange that answers, of those that could.
    fn choose(&self, equal: &[usize]) -> Option<usize> {
        match self.test.turn {
            // The first of those that the test has used least.
            None => equal.iter().copied().min_by_key(|index| (self.use_count(*index), *index)),
            Some(turn) if self.test.store.mode == Mode::Replay && !equal.is_empty() => {
                equal.get(turn % equal.len()).copied()
            }
            Some(turn) => equal.get(turn).copied(),
        }
    }

    fn may_play(&self, index: usize, entry: &Entry) -> bool {
        let is_ours = match &entry.origin {
            Origin::File => self.test.store.mode != Mode::RecordAll,
            // Of another cell, where each has answers of its own.
            Origin::New => self.test.turn.is_none(),
            Origin::Partial(test) => *test == self.test.key,
            Origin::Discarded => false,
        };
        let is_recording = self.test.store.mode != Mode::Replay;
        // While recording, each repetition gets its own answer.
        let is_good = !is_recording || self.use_count(index) == 0 && entry.exchange.temporary_failure().is_none();
        is_ours && is_good && !self.played.borrow().contains(&index)
    }

    fn use_count(&self, index: usize) -> usize {
        self.test.played.borrow().get(&(self.recording.path.clone(), index)).copied().unwrap_or(0)
    }

    fn count_use(&self, index: usize) {
        self.played.borrow_mut().insert(index);
        *self.test.played.borrow_mut().entry((self.recording.path.clone(), index)).or_default() += 1;
    }
}

/// A request that a model is answering. Equal requests of other tests wait until this is dropped.
pub(super) struct Ticket {
    run: Rc<Run>,
    asked: ReplayRequest,
    request: RequestKey,
}

impl Ticket {
    /// Adds the exchange to the recording. A temporary failure is not recorded and becomes the fault of the test.
    pub(super) fn record(self, exchange: RecordedExchange) {
        if let Some(why) = exchange.temporary_failure() {
            self.run.note_fault(&messages::unanswered(&self.asked.name(), why));
            return;
        }
        let run = &*self.run;
        let Some(mut recording) = run.recording.lock() else { return };
        run.test.file.answers.note(exchange.usage());
        let index = recording.entries.len();
        let origin = if exchange.is_whole() {
            Origin::New
        } else {
            run.partial.borrow_mut().push(index);
            run.origin_of_partial()
        };
        recording.entries.push(Entry { exchange: Arc::new(exchange), origin, used: Some(self.request.clone()) });
        run.count_use(index);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let recording = &self.run.recording;
        if let Some(mut recording) = recording.lock() {
            let mine = |(test, asked): &(TestKey, ReplayRequest)| *test == self.run.test.key && *asked == self.asked;
            if let Some(index) = recording.active_requests.iter().position(mine) {
                recording.active_requests.swap_remove(index);
            }
        }
        recording.notify();
    }
}
