//! Writes a run to the journal as it happens, and provides what earlier processes wrote.

use std::{
    cell::{Cell, RefCell},
    path::PathBuf,
    rc::{Rc, Weak},
    time::{Duration, Instant},
};

use serde_json::{Map, Value};

use super::{
    buffer::Buffer,
    earlier_run::EarlierRun,
    error::JournalError,
    file::Journal,
    heartbeat::Heartbeat,
    last_entry::LastEntry,
    runs::{RunInfo, RunStatus},
    stored::{EntryMirror, RunStart, SecretFilter, entry_text, is_step_over, line_text, plain_text},
    write::{Batch, Lease, RunRow},
};
use lmthing_base::{
    checkpoint::{Checkpoints, Entry, HeldCall, Restored, StoreError, StoredFuture},
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
    Writing {
        journal: Journal,
        lease: Lease,
        _heartbeat: Heartbeat,
    },
    /// A write has failed.
    Failed(StoreError),
}

pub struct Recorder {
    path: PathBuf,
    secrets: Rc<dyn SecretFilter>,
    /// Weak, as the events hold this reader.
    events: RefCell<Weak<Events>>,
    start: RefCell<RunStart>,
    state: RefCell<JournalState>,
    last_entry: LastEntry,
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
    earlier: EarlierRun,
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
            buffer: RefCell::default(),
            agents: RefCell::default(),
            record: RefCell::default(),
            summary: RefCell::new(RunSummary::with_text()),
            began: Cell::default(),
            written: Cell::new(Instant::now()),
            is_cut_off: Cell::new(false),
            new_not_resumable_reason: RefCell::default(),
            earlier: EarlierRun::default(),
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
        recorder.earlier = earlier;
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
        matches!(&*self.state.borrow(), JournalState::Writing { .. } | JournalState::Failed(_))
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

    /// Opens the journal that the command line asks for.
    pub fn open_required(&self) -> Result<(), JournalError> {
        self.state.replace(JournalState::Open(Journal::create(&self.path)?));
        Ok(())
    }

    /// Marks the run as interrupted, as the reader of its output is gone.
    pub fn set_cut_off(&self) {
        self.is_cut_off.set(true);
    }

    /// Writes pending events periodically. Never returns.
    pub async fn keep_writing(&self) {
        loop {
            tokio::time::sleep(WAIT).await;
            // A failure is reported by the next append, and at the end.
            let _ = self.flush();
        }
    }

    /// Writes pending events. An earlier failure is returned again.
    pub fn flush(&self) -> Result<(), StoreError> {
        match &*self.state.borrow() {
            JournalState::Failed(error) => return Err(error.clone()),
            JournalState::Writing { .. } if !self.buffer.borrow().is_empty() => {}
            _ => return Ok(()),
        }
        self.write(None, None)
    }

    fn take(&self, event: &Event<'_>) {
        let is_writing = match &*self.state.borrow() {
            JournalState::Off | JournalState::Failed(_) => return,
            JournalState::Undecided | JournalState::Open(_) | JournalState::Earlier { .. } => false,
            JournalState::Writing { .. } => true,
        };
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
        } else if is_writing && self.written.get().elapsed() >= WAIT {
            let _ = self.flush();
        }
    }

    fn finish(&self, end: &RunFinish) {
        let status = if self.is_cut_off.get() { RunStatus::Interrupted } else { RunStatus::of(end) };
        // A file that only printed its usage has not run.
        let is_writing = match &*self.state.borrow() {
            // A file that does not load leaves the earlier run unchanged.
            JournalState::Earlier { .. } => return,
            state => matches!(state, JournalState::Writing { .. }),
        };
        if is_writing || status != RunStatus::Done && self.begin().is_ok() {
            let error = end.error.as_ref().and_then(|error| serde_json::to_string(error).ok());
            let error = error.map(|line| line_text(line, &*self.secrets));
            let _ = self.write(None, Some((status, error)));
        }
    }

    /// Adds the run to an open journal, or takes it over there.
    fn begin(&self) -> Result<(), StoreError> {
        let (journal, begun) = match self.state.replace(JournalState::Off) {
            JournalState::Open(journal) => {
                let begun = self.insert_run(&journal);
                (journal, begun)
            }
            JournalState::Earlier { journal, run, back_to } => {
                let taken = match back_to {
                    None => journal.take_over(&run),
                    Some(step) => journal.fork(&run, step, &self.run(), &self.earlier.sums),
                };
                (journal, taken)
            }
            state => {
                self.state.replace(state);
                return Ok(());
            }
        };
        let lease = begun.map_err(|error| self.fail(error))?;
        let heartbeat = Heartbeat::begin(journal.path(), &lease);
        self.last_entry.set(journal.path(), &lease);
        self.state.replace(JournalState::Writing { journal, lease, _heartbeat: heartbeat });
        if let Some(why) = self.new_not_resumable_reason.take() {
            self.warn(format!("this run cannot be resumed: {why}"));
        }
        // Written before the calls are made, so that an approval is not requested again.
        self.earlier.decided.take().into_iter().try_for_each(|(key, entry)| self.write_entry(&key, entry))
    }

    fn write_entry(&self, key: &str, entry: Entry) -> Result<(), StoreError> {
        let text = entry_text(entry, &*self.secrets);
        let text = text
            .map_err(|error| StoreError { message: format!("an entry cannot be written down: {error}"), hint: None })?;
        let copy = self.mirror.as_ref().map(|mirror| (mirror, text.clone()));
        self.write(Some((key.to_owned(), text)), None)?;
        if let Some((mirror, text)) = copy {
            let is_over = is_step_over(key, &text);
            mirror.copy_entry(key, text, is_over);
        }
        Ok(())
    }

    fn insert_run(&self, journal: &Journal) -> Result<Lease, JournalError> {
        let mut start = self.start.borrow_mut();
        let is_known = start.not_resumable.is_some();
        start.without_secrets(&*self.secrets);
        self.new_not_resumable_reason.replace(start.not_resumable.clone().filter(|_| !is_known));
        journal.begin(&self.run(), self.began.get(), &start, None)
    }

    fn run(&self) -> String {
        self.events.borrow().upgrade().map(|events| events.run().to_owned()).unwrap_or_default()
    }

    fn fail(&self, error: JournalError) -> StoreError {
        let error = StoreError::from(error);
        self.state.replace(JournalState::Failed(error.clone()));
        error
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
    ) -> Result<(), StoreError> {
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
        let mut state = self.state.borrow_mut();
        let JournalState::Writing { journal, lease, .. } = &mut *state else { return Ok(()) };
        let written = journal.write(lease, &batch, &figures);
        drop(state);
        written.map_err(|error| self.fail(error))
    }

    /// Without a setting in `config`, a run is written if the journal already exists.
    fn open_known(&self) -> Result<(), StoreError> {
        if !self.path.exists() {
            return Ok(());
        }
        self.state.replace(JournalState::Open(Journal::open(&self.path)?));
        self.begin()
    }
}

impl Checkpoints for Recorder {
    fn is_on(&self) -> bool {
        // Also after a failure, which the next append must return.
        !matches!(&*self.state.borrow(), JournalState::Undecided | JournalState::Off)
    }

    fn append(&self, key: &str, entry: Entry) -> Result<(), StoreError> {
        self.begin()?;
        match &*self.state.borrow() {
            JournalState::Undecided | JournalState::Off | JournalState::Open(_) | JournalState::Earlier { .. } => {
                return Ok(());
            }
            JournalState::Failed(error) => return Err(error.clone()),
            JournalState::Writing { .. } => {}
        }
        self.write_entry(key, entry)
    }

    fn stored(&self) -> Option<StoredFuture> {
        self.mirror.as_ref()?.stored()
    }

    fn restored(&self, key: &str) -> Option<Rc<Restored>> {
        self.earlier.restored(key, &mut self.record.borrow_mut())
    }

    fn configure(&self, asked: Option<bool>) -> Result<(), StoreError> {
        let is_decided = !matches!(&*self.state.borrow(), JournalState::Undecided);
        match asked {
            _ if is_decided => self.begin()?,
            Some(true) => {
                self.open_required()?;
                self.begin()?;
            }
            Some(false) => {}
            None => {
                if let Err(error) = self.open_known() {
                    self.state.replace(JournalState::Off);
                    let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                    self.warn(format!("this run is not written down: {}{hint}", error.message));
                }
            }
        }
        let mut state = self.state.borrow_mut();
        if matches!(&*state, JournalState::Undecided | JournalState::Off) {
            *state = JournalState::Off;
            self.buffer.take();
            self.start.borrow_mut().input.take();
        }
        Ok(())
    }

    fn store_input(&self, input: Map<String, Value>) {
        self.start.borrow_mut().input = Some(input);
    }

    fn holds_secret(&self, text: &str) -> bool {
        self.secrets.contain_secret(text)
    }

    fn held(&self) -> Vec<HeldCall> {
        self.earlier.held.clone()
    }

    fn last_serial(&self) -> usize {
        self.earlier.last_serial
    }

    fn why_not_resumable(&self) -> Option<String> {
        self.start.borrow().not_resumable.clone()
    }

    fn played(&self, mock: usize) -> Vec<usize> {
        self.earlier.played(mock)
    }
}
