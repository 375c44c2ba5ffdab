//! Writes a run to the journal as it happens, and provides what earlier processes wrote.

mod checkpoints;
mod take_back;

pub use take_back::TakenBack;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    future::ready,
    path::PathBuf,
    pin::pin,
    rc::{Rc, Weak},
    time::{Duration, Instant},
};

use super::{
    buffer::Buffer,
    earlier_run::EarlierRun,
    error::JournalError,
    file::Journal,
    last_entry::LastEntry,
    lock::LockNotice,
    runs::{RunInfo, RunStatus},
    stored::{CHAT, EntryMirror, RunStart, SecretFilter, entry_text, is_step_over, line_text, plain_text},
    write::{Batch, Beginning, RunRow},
    writer::{self, Writer},
};
use lmthing_base::{
    checkpoint::{Entry, StoreError, StoredFuture},
    event::{Event, EventKind, EventRecorder, Events, RecordedEvent, RunFinish, RunSummary},
};

/// How long events may wait to be written.
const WAIT: Duration = Duration::from_millis(200);

/// The journal of the run.
enum JournalState {
    /// `config` decides whether there is one.
    Undecided,
    Off,
    /// Open, but does not contain the run yet.
    Open(Journal),
    /// Contains the run of an earlier process, which is not taken over yet; with `back_to`, a part of it becomes a new run.
    Earlier {
        journal: Journal,
        run: Box<RunInfo>,
        back_to: Option<usize>,
    },
    Writing(Writer),
}

pub struct Recorder {
    path: PathBuf,
    secrets: Rc<dyn SecretFilter>,
    /// Weak, as the events hold this reader.
    events: RefCell<Weak<Events>>,
    start: RefCell<RunStart>,
    state: RefCell<JournalState>,
    last_entry: LastEntry,
    lock: LockNotice,
    is_lock_reported: Cell<bool>,
    buffer: RefCell<Buffer>,
    agents: RefCell<Vec<(u64, String)>>,
    record: RefCell<EventRecorder>,
    summary: RefCell<RunSummary>,
    /// The start of the run, in milliseconds since 1970.
    began: Cell<Option<u64>>,
    written: Cell<Instant>,
    is_cut_off: Cell<bool>,
    /// Why no other process can resume the run, until that has been reported.
    new_not_resumable_reason: RefCell<Option<String>>,
    earlier: RefCell<Rc<EarlierRun>>,
    /// The turns of numbered mocks that this process has played.
    played: RefCell<BTreeSet<(usize, usize)>>,
    mirror: Option<Rc<dyn EntryMirror>>,
}

impl Recorder {
    pub fn new(path: PathBuf, secrets: Rc<dyn SecretFilter>) -> Self {
        Recorder {
            path,
            secrets,
            events: RefCell::default(),
            start: RefCell::default(),
            state: RefCell::new(JournalState::Undecided),
            last_entry: LastEntry::default(),
            lock: LockNotice::default(),
            is_lock_reported: Cell::new(false),
            buffer: RefCell::default(),
            agents: RefCell::default(),
            record: RefCell::default(),
            summary: RefCell::new(RunSummary::with_text()),
            began: Cell::default(),
            written: Cell::new(Instant::now()),
            is_cut_off: Cell::new(false),
            new_not_resumable_reason: RefCell::default(),
            earlier: RefCell::default(),
            played: RefCell::default(),
            mirror: None,
        }
    }

    /// A recorder that resumes the run of an earlier process; with `back_to` as a new run, from before that step. Nothing is written
    /// until the file has loaded: [`Checkpoints::configure`].
    pub fn resuming(
        journal: Journal,
        run: RunInfo,
        back_to: Option<usize>,
        earlier: EarlierRun,
        secrets: Rc<dyn SecretFilter>,
    ) -> Self {
        let mut recorder = Recorder::new(journal.path().to_owned(), secrets);
        recorder.summary = RefCell::new(earlier.add_to_summary(RunSummary::with_text()));
        recorder.earlier = RefCell::new(Rc::new(earlier));
        recorder.state = RefCell::new(JournalState::Earlier { journal, run: Box::new(run), back_to });
        recorder
    }

    /// Adds a copy of the entries that other machines can read.
    pub fn with_mirror(self, mirror: Rc<dyn EntryMirror>) -> Self {
        Recorder { mirror: Some(mirror), ..self }
    }

    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Writes the end of the run from another thread.
    pub fn last_entry(&self) -> LastEntry {
        self.last_entry.clone()
    }

    /// Whether the run is in the journal, so that it can be resumed.
    pub fn is_in_journal(&self) -> bool {
        matches!(&*self.state.borrow(), JournalState::Writing(_))
    }

    pub fn read(self: &Rc<Self>, events: &Rc<Events>) {
        self.events.replace(Rc::downgrade(events));
        let recorder = self.clone();
        events.add_reader(Rc::new(move |event| recorder.take(event)));
    }

    /// Sets how the run was started; required before it is written.
    pub fn set_start(&self, mut start: RunStart) {
        start.input = self.start.borrow_mut().input.take();
        self.start.replace(start);
    }

    /// Opens the journal that the command line asks for. Waits as long as another process keeps it locked.
    pub async fn open_required(&self) -> Result<(), JournalError> {
        let path = self.path.clone();
        self.open(move || Journal::create(&path)).await
    }

    async fn open(
        &self,
        work: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
    ) -> Result<(), JournalError> {
        let opening = writer::open(work, (&self.path, self.lock.clone()));
        let opened = self.reporting_lock(opening, |notice| self.warn(notice)).await;
        self.state.replace(JournalState::Open(opened?));
        Ok(())
    }

    /// Awaits `work`. `report` gets a message if it waits for another process.
    async fn reporting_lock<T>(&self, work: impl Future<Output = T>, report: impl Fn(String)) -> T {
        let mut work = pin!(work);
        loop {
            match tokio::time::timeout(WAIT, &mut work).await {
                Ok(done) => return done,
                Err(_) => self.lock_notice().into_iter().for_each(&report),
            }
        }
    }

    /// Marks the run as interrupted, as the reader of its output is gone.
    pub fn set_cut_off(&self) {
        self.is_cut_off.set(true);
    }

    /// Writes pending events periodically. Never returns.
    pub async fn keep_writing(&self) {
        loop {
            tokio::time::sleep(WAIT).await;
            self.write_events();
            self.lock_notice().into_iter().for_each(|notice| self.warn(notice));
        }
    }

    /// Resolves once everything so far outlasts the process, or with the failure of any write. `report` gets a message if
    /// another process keeps the journal locked.
    pub async fn flush(&self, report: impl Fn(String)) -> Result<(), StoreError> {
        self.write_events();
        let Some(writer) = self.writer() else { return Ok(()) };
        self.reporting_lock(writer.written().result(), report).await
    }

    /// A message, once in a run, when writing has waited for another process for some seconds.
    fn lock_notice(&self) -> Option<String> {
        let is_new = self.lock.is_set() && !self.is_lock_reported.replace(true);
        is_new.then(|| {
            let path = self.path.display();
            format!("the journal {path} is locked by another process: the run waits where it has to write")
        })
    }

    fn writer(&self) -> Option<Writer> {
        match &*self.state.borrow() {
            JournalState::Writing(writer) => Some(writer.clone()),
            _ => None,
        }
    }

    /// Passes pending events to the writer. The next append and the end report a failure.
    fn write_events(&self) {
        if !self.buffer.borrow().is_empty() {
            drop(self.write(None, None));
        }
    }

    fn take(&self, event: &Event<'_>) {
        match &*self.state.borrow() {
            JournalState::Off => return,
            JournalState::Writing(writer) if writer.error().is_some() => return,
            _ => {}
        }
        if self.began.get().is_none() {
            self.began.set(Some(event.time()));
        }
        self.summary.borrow_mut().add(event);
        if matches!(event.kind, EventKind::AgentStart) {
            self.agents.borrow_mut().push((event.agent.number(), event.agent.key().to_owned()));
        }
        let recorded = self.record.borrow_mut().record(event, &self.summary.borrow());
        self.buffer.borrow_mut().add(recorded, event.agent, event.time());
        if let EventKind::RunFinish(end) = event.kind {
            self.finish(end);
        } else if self.written.get().elapsed() >= WAIT {
            self.write_events();
        }
    }

    fn finish(&self, end: &RunFinish) {
        let status = if self.is_cut_off.get() { RunStatus::Interrupted } else { RunStatus::of(end) };
        // A file that only printed its usage has not run, and a conversation that did not begin is none to go on with.
        let is_writing = match &*self.state.borrow() {
            // A file that does not load leaves the earlier run unchanged.
            JournalState::Earlier { .. } => return,
            state => matches!(state, JournalState::Writing(_)),
        };
        let is_chat = self.start.borrow().options.contains_key(CHAT);
        if is_writing || status != RunStatus::Done && !is_chat {
            self.begin();
            let error = end.error.as_ref().and_then(|error| serde_json::to_string(error).ok());
            let error = error.map(|line| line_text(line, &*self.secrets));
            // `flush` reports a failure.
            drop(self.write(None, Some((status, error))));
        }
    }

    /// Starts to write the run to an open journal. The following writes report a failure.
    fn begin(&self) {
        let (journal, beginning) = match self.state.replace(JournalState::Off) {
            JournalState::Open(journal) => (journal, self.new_run()),
            JournalState::Earlier { journal, run, back_to: None } => (journal, Beginning::Continued(run)),
            JournalState::Earlier { journal, run, back_to: Some(step) } => {
                (journal, Beginning::Forked { run, step, id: self.run(), sums: self.earlier().sums.clone() })
            }
            state => {
                self.state.replace(state);
                return;
            }
        };
        let writer = Writer::start(journal, beginning, self.lock.clone());
        self.last_entry.set(writer.clone());
        self.state.replace(JournalState::Writing(writer));
        if let Some(why) = self.new_not_resumable_reason.take() {
            self.warn(format!("this run cannot be resumed: {why}"));
        }
        // Written before the calls are made, so that an approval is not requested again.
        self.earlier().decided.take().into_iter().for_each(|(key, entry)| drop(self.write_entry(&key, entry)));
    }

    fn earlier(&self) -> Rc<EarlierRun> {
        self.earlier.borrow().clone()
    }

    fn new_run(&self) -> Beginning {
        let mut start = self.start.borrow_mut();
        let is_known = start.not_resumable.is_some();
        start.without_secrets(&*self.secrets);
        self.new_not_resumable_reason.replace(start.not_resumable.clone().filter(|_| !is_known));
        // Files make it large, and only a conversation needs it again.
        let input = if start.options.contains_key(CHAT) { start.input.clone() } else { start.input.take() };
        Beginning::New { id: self.run(), began: self.began.get(), start: RunStart { input, ..start.clone() } }
    }

    fn write_entry(&self, key: &str, entry: Entry) -> StoredFuture<'static> {
        let is_over = is_step_over(key, &entry);
        let text = match entry_text(entry, &*self.secrets) {
            Ok(text) => text,
            Err(error) => {
                let message = format!("an entry cannot be written down: {error}");
                return Box::pin(ready(Err(StoreError { message, hint: None })));
            }
        };
        // In the same order as in the file.
        if let Some(mirror) = &self.mirror {
            mirror.copy_entry(key, text.clone(), is_over);
        }
        self.write(Some((key.to_owned(), text)), None)
    }

    fn run(&self) -> String {
        self.events.borrow().upgrade().map(|events| events.run().to_owned()).unwrap_or_default()
    }

    fn warn(&self, message: String) {
        let events = self.events.borrow().upgrade();
        events.iter().for_each(|events| events.warn(message.clone()));
    }

    /// Writes pending events, and an entry or the end of the run.
    fn write(
        &self,
        entry: Option<(String, String)>,
        end: Option<(RunStatus, Option<String>)>,
    ) -> StoredFuture<'static> {
        let Some(writer) = self.writer() else { return Box::pin(ready(Ok(()))) };
        self.written.set(Instant::now());
        let events = self.events.borrow().upgrade();
        let run = events.as_ref().map_or("", |events| events.run());
        let taken = self.buffer.borrow_mut().take(end.is_some());
        let lines = taken.into_iter().filter_map(|recorded| match recorded {
            RecordedEvent::Line(line) => Some(line_text(line, &*self.secrets)),
            RecordedEvent::Delta(mut piece) => {
                piece.text = plain_text(piece.text, &*self.secrets);
                piece.to_line(run)
            }
        });
        let batch = Batch { agents: self.agents.take(), lines: lines.collect(), entry };
        let summary = self.summary.borrow();
        let figures = RunRow { sums: summary.sums(), model: summary.model.clone(), end };
        drop(summary);
        Box::pin(writer.write(batch, figures).result())
    }
}
