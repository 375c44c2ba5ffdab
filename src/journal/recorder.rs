//! Writes a run down as it happens: reads its events, keeps its logs, knows what an earlier process has done of it. Must not
//! know who asks for what, nor tables.

use std::{
    cell::{Cell, RefCell},
    path::PathBuf,
    rc::{Rc, Weak},
    time::{Duration, Instant},
};

use serde_json::{Map, Value};

use super::{
    beat::Beat,
    buffer::Buffer,
    earlier::Earlier,
    error::JournalError,
    file::Journal,
    last_entry::LastEntry,
    mirror::Mirror,
    runs::{RunInfo, Status},
    stored::{Secrets, Start, entry_text, is_step_over, line_text, plain_text},
    write::{Batch, Figures, Lease},
};
use crate::{
    checkpoint::{Checkpoints, Entry, Held, Restored, StoreError, Stored},
    event::{Event, EventKind, Events, Record, Recorded, RunFinish, Summary},
};

/// How long what happens may wait to be written.
const WAIT: Duration = Duration::from_millis(200);

/// What is written to, if anything.
enum Book {
    /// `config` decides.
    Undecided,
    /// Nothing.
    Off,
    /// The run is not in it yet.
    Open(Journal),
    /// It was left by an earlier process, and nobody has taken it over; or a part of it is to be a run of its own.
    Left { journal: Journal, run: Box<RunInfo>, back_to: Option<usize> },
    /// The run is in it.
    Begun { journal: Journal, lease: Lease, _beat: Beat },
    /// It could not be written to.
    Broken(StoreError),
}

/// Writes down one run.
pub(crate) struct Recorder {
    path: PathBuf,
    secrets: Rc<dyn Secrets>,
    /// Of the run. They hold this reader in turn.
    events: RefCell<Weak<Events>>,
    start: RefCell<Start>,
    book: RefCell<Book>,
    last_entry: LastEntry,
    buffer: RefCell<Buffer>,
    /// Agents that are new, with the keys of their runs.
    agents: RefCell<Vec<(u64, String)>>,
    record: RefCell<Record>,
    summary: RefCell<Summary>,
    /// When the run began, in milliseconds since 1970.
    began: Cell<Option<u64>>,
    /// When something was written last.
    written: Cell<Instant>,
    is_cut_off: Cell<bool>,
    /// Why no other process can go on with the run, until that is told.
    newly_not_resumable: RefCell<Option<String>>,
    /// What an earlier process has done.
    earlier: Earlier,
    /// Who keeps what was done elsewhere as well.
    mirror: Option<Rc<dyn Mirror>>,
}

impl Recorder {
    /// Of a run that begins. Nothing is written until it is known that somebody wants it: [`Recorder::demand`],
    /// [`Checkpoints::configure`].
    pub(crate) fn new(path: PathBuf, secrets: Rc<dyn Secrets>) -> Self {
        Recorder {
            path,
            secrets,
            events: RefCell::default(),
            start: RefCell::default(),
            book: RefCell::new(Book::Undecided),
            last_entry: LastEntry::default(),
            buffer: RefCell::default(),
            agents: RefCell::default(),
            record: RefCell::default(),
            summary: RefCell::new(Summary::with_text()),
            began: Cell::default(),
            written: Cell::new(Instant::now()),
            is_cut_off: Cell::new(false),
            newly_not_resumable: RefCell::default(),
            earlier: Earlier::default(),
            mirror: None,
        }
    }

    /// Of a run that goes on from what an earlier process has done; with `back_to` as a new run, from before that step.
    /// Nothing is written until the file has loaded: [`Checkpoints::configure`].
    pub(crate) fn going_on(
        journal: Journal,
        run: RunInfo,
        back_to: Option<usize>,
        earlier: Earlier,
        secrets: Rc<dyn Secrets>,
    ) -> Self {
        let mut recorder = Recorder::new(journal.path().to_owned(), secrets);
        recorder.summary = RefCell::new(earlier.goes_on_in(Summary::with_text()));
        recorder.earlier = earlier;
        recorder.book = RefCell::new(Book::Left { journal, run: Box::new(run), back_to });
        recorder
    }

    /// Has what is done kept elsewhere as well.
    #[cfg(feature = "worker")]
    pub(crate) fn with_mirror(self, mirror: Rc<dyn Mirror>) -> Self {
        Recorder { mirror: Some(mirror), ..self }
    }

    /// Where the journal is, or would be.
    pub(crate) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// What another thread writes the end of the run with.
    pub(crate) fn last_entry(&self) -> LastEntry {
        self.last_entry.clone()
    }

    /// Whether the run is in the journal, so that it can be gone on with.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(&*self.book.borrow(), Book::Begun { .. } | Book::Broken(_))
    }

    /// Reads the events of a run from now on.
    pub(crate) fn read(self: &Rc<Self>, events: &Rc<Events>) {
        self.events.replace(Rc::downgrade(events));
        let recorder = self.clone();
        events.add_reader(Rc::new(move |event| recorder.take(event)));
    }

    /// Says what the run was started with; needed before it is in the journal.
    pub(crate) fn set_start(&self, mut start: Start) {
        start.input = self.start.borrow_mut().input.take();
        self.start.replace(start);
    }

    /// Opens the journal that the command line asks for.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn demand(&self) -> Result<(), JournalError> {
        self.book.replace(Book::Open(Journal::create(&self.path)?));
        Ok(())
    }

    /// Nobody reads what the run writes any more, so that it ends early.
    pub(crate) fn set_cut_off(&self) {
        self.is_cut_off.set(true);
    }

    /// Writes what happens now and then, also when nothing more happens. Never ends.
    pub(crate) async fn keep_writing(&self) {
        loop {
            tokio::time::sleep(WAIT).await;
            // A failure is told to whoever appends next, and at the end.
            let _ = self.flush();
        }
    }

    /// Writes what has happened.
    ///
    /// # Errors
    /// It cannot be written, now or already before.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        match &*self.book.borrow() {
            Book::Broken(error) => return Err(error.clone()),
            Book::Begun { .. } if !self.buffer.borrow().is_empty() => {}
            _ => return Ok(()),
        }
        self.write(None, None)
    }

    fn take(&self, event: &Event<'_>) {
        let is_begun = match &*self.book.borrow() {
            Book::Off | Book::Broken(_) => return,
            Book::Undecided | Book::Open(_) | Book::Left { .. } => false,
            Book::Begun { .. } => true,
        };
        if self.began.get().is_none() {
            self.began.set(Some(event.time()));
        }
        self.summary.borrow_mut().add(event);
        if matches!(event.kind, EventKind::AgentStart) {
            self.agents.borrow_mut().push((event.agent.number(), event.agent.key().to_owned()));
        }
        let recorded = self.record.borrow_mut().take(event, &self.summary.borrow());
        self.buffer.borrow_mut().add(recorded, event.agent, event.time());
        if let EventKind::RunFinish(end) = event.kind {
            self.finish(end);
        } else if is_begun && self.written.get().elapsed() >= WAIT {
            let _ = self.flush();
        }
    }

    fn finish(&self, end: &RunFinish) {
        let status = if self.is_cut_off.get() { Status::Interrupted } else { Status::of(end) };
        // A file that only told how it is used has not run.
        let is_begun = match &*self.book.borrow() {
            // One that does not load leaves it as it was.
            Book::Left { .. } => return,
            book => matches!(book, Book::Begun { .. }),
        };
        if is_begun || status != Status::Done && self.begin().is_ok() {
            let error = end.error.as_ref().and_then(|error| serde_json::to_string(error).ok());
            let error = error.map(|line| line_text(line, &*self.secrets));
            let _ = self.write(None, Some((status, error)));
        }
    }

    /// Puts the run into an open journal, or takes it over there.
    fn begin(&self) -> Result<(), StoreError> {
        let (journal, begun) = match self.book.replace(Book::Off) {
            Book::Open(journal) => {
                let begun = self.begin_in(&journal);
                (journal, begun)
            }
            Book::Left { journal, run, back_to } => {
                let taken = match back_to {
                    None => journal.take_over(&run),
                    Some(step) => journal.fork(&run, step, &self.run(), &self.earlier.sums),
                };
                (journal, taken)
            }
            book => {
                self.book.replace(book);
                return Ok(());
            }
        };
        let lease = begun.map_err(|error| self.breaks(error))?;
        let beat = Beat::begin(journal.path(), &lease);
        self.last_entry.set(journal.path(), &lease);
        self.book.replace(Book::Begun { journal, lease, _beat: beat });
        if let Some(why) = self.newly_not_resumable.take() {
            self.warn(format!("this run cannot be resumed: {why}"));
        }
        // Before anything is done that they are about: from here on nobody has to decide once more.
        self.earlier.decided.take().into_iter().try_for_each(|(key, entry)| self.keep(&key, entry))
    }

    /// Writes an entry of a run that is in the journal.
    fn keep(&self, key: &str, entry: Entry) -> Result<(), StoreError> {
        let text = entry_text(entry, &*self.secrets);
        let text = text
            .map_err(|error| StoreError { message: format!("an entry cannot be written down: {error}"), hint: None })?;
        let copy = self.mirror.as_ref().map(|mirror| (mirror, text.clone()));
        self.write(Some((key.to_owned(), text)), None)?;
        if let Some((mirror, text)) = copy {
            let is_over = is_step_over(key, &text);
            mirror.kept(key, text, is_over);
        }
        Ok(())
    }

    fn begin_in(&self, journal: &Journal) -> Result<Lease, JournalError> {
        let mut start = self.start.borrow_mut();
        let is_known = start.not_resumable.is_some();
        start.without_secrets(&*self.secrets);
        self.newly_not_resumable.replace(start.not_resumable.clone().filter(|_| !is_known));
        journal.begin(&self.run(), self.began.get(), &start, None)
    }

    /// The name of the run.
    fn run(&self) -> String {
        self.events.borrow().upgrade().map(|events| events.run().to_owned()).unwrap_or_default()
    }

    /// Nothing more is written.
    fn breaks(&self, error: JournalError) -> StoreError {
        let error = StoreError::from(error);
        self.book.replace(Book::Broken(error.clone()));
        error
    }

    fn warn(&self, message: String) {
        let events = self.events.borrow().upgrade();
        events.iter().for_each(|events| events.warn(message.clone()));
    }

    /// Writes what has happened, and what was done or how the run ended.
    fn write(&self, entry: Option<(String, String)>, end: Option<(Status, Option<String>)>) -> Result<(), StoreError> {
        self.written.set(Instant::now());
        let events = self.events.borrow().upgrade();
        let run = events.as_ref().map_or("", |events| events.run());
        let taken = self.buffer.borrow_mut().take(end.is_some());
        let lines = taken.into_iter().filter_map(|recorded| match recorded {
            Recorded::Line(line) => Some(line_text(line, &*self.secrets)),
            Recorded::Piece(mut piece) => {
                piece.text = plain_text(piece.text, &*self.secrets);
                piece.to_line(run)
            }
        });
        let batch = Batch { agents: self.agents.take(), lines: lines.collect(), entry };
        let summary = self.summary.borrow();
        let figures = Figures { sums: summary.sums(), model: summary.model.clone(), end };
        let mut book = self.book.borrow_mut();
        let Book::Begun { journal, lease, .. } = &mut *book else { return Ok(()) };
        let written = journal.write(lease, &batch, &figures);
        drop(book);
        written.map_err(|error| self.breaks(error))
    }

    /// What `config` leaves to be decided: whether there is a journal already.
    fn open_known(&self) -> Result<(), StoreError> {
        if !self.path.exists() {
            return Ok(());
        }
        self.book.replace(Book::Open(Journal::open(&self.path)?));
        self.begin()
    }
}

impl Checkpoints for Recorder {
    fn is_on(&self) -> bool {
        // Also when it is broken: whoever appends is to hear of it.
        !matches!(&*self.book.borrow(), Book::Undecided | Book::Off)
    }

    fn append(&self, key: &str, entry: Entry) -> Result<(), StoreError> {
        self.begin()?;
        match &*self.book.borrow() {
            Book::Undecided | Book::Off | Book::Open(_) | Book::Left { .. } => return Ok(()),
            Book::Broken(error) => return Err(error.clone()),
            Book::Begun { .. } => {}
        }
        self.keep(key, entry)
    }

    fn stored(&self) -> Option<Stored> {
        self.mirror.as_ref()?.stored()
    }

    fn restored(&self, key: &str) -> Option<Rc<Restored>> {
        self.earlier.restored(key, &mut self.record.borrow_mut())
    }

    fn configure(&self, asked: Option<bool>) -> Result<(), StoreError> {
        let is_decided = !matches!(&*self.book.borrow(), Book::Undecided);
        match asked {
            _ if is_decided => self.begin()?,
            Some(true) => {
                self.demand()?;
                self.begin()?;
            }
            Some(false) => {}
            None => {
                if let Err(error) = self.open_known() {
                    self.book.replace(Book::Off);
                    let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                    self.warn(format!("this run is not written down: {}{hint}", error.message));
                }
            }
        }
        let mut book = self.book.borrow_mut();
        if matches!(&*book, Book::Undecided | Book::Off) {
            *book = Book::Off;
            self.buffer.take();
            self.start.borrow_mut().input.take();
        }
        Ok(())
    }

    fn take_input(&self, input: Map<String, Value>) {
        self.start.borrow_mut().input = Some(input);
    }

    fn holds_secret(&self, text: &str) -> bool {
        self.secrets.are_in(text)
    }

    fn held(&self) -> Vec<Held> {
        self.earlier.held.clone()
    }

    fn last_waited(&self) -> usize {
        self.earlier.last_waited
    }

    fn why_not_resumable(&self) -> Option<String> {
        self.start.borrow().not_resumable.clone()
    }

    fn played(&self, mock: usize) -> Vec<usize> {
        self.earlier.played(mock)
    }
}
