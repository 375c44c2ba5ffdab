//! One test and its runs: which exchange answers a request, and whether a model is to be asked. Must not know what a model is.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    path::Path,
    pin::Pin,
    rc::Rc,
    sync::Arc,
};

use super::{
    book::{Entry, Origin, SharedBook, TestKey, Unusable, Use},
    mode::Mode,
    shelf::Shelf,
    tested_file::TestedFile,
    words,
};
use crate::{
    diagnostic::Diagnostic,
    provider::{RecordedExchange, Redactor, ReplayRequest},
};

/// A test that is running, with all its repetitions.
pub(super) struct Test {
    pub(super) shelf: Arc<Shelf>,
    file: Rc<TestedFile>,
    key: TestKey,
    /// How many requests it has made.
    asked: Cell<usize>,
    /// How often it has used an exchange, by recording and place.
    played: RefCell<BTreeMap<(Arc<Path>, usize), usize>>,
    /// The recordings it has used.
    books: RefCell<Vec<Arc<SharedBook>>>,
    /// The requests of the test file itself, in this repetition.
    own: RefCell<Option<Rc<Run>>>,
    fault: RefCell<Option<Diagnostic>>,
    /// Whether it has passed, once it is over.
    passed: Cell<Option<bool>>,
}

impl Test {
    pub(super) fn new(shelf: Arc<Shelf>, file: Rc<TestedFile>, index: usize) -> Rc<Self> {
        let key = TestKey { file: file.path.clone(), index };
        Rc::new(Test {
            shelf,
            file,
            key,
            asked: Cell::new(0),
            played: RefCell::default(),
            books: RefCell::default(),
            own: RefCell::default(),
            fault: RefCell::default(),
            passed: Cell::new(None),
        })
    }

    pub(super) fn begin_attempt(&self) {
        self.own.take();
    }

    pub(super) fn end(&self, passed: bool) {
        self.passed.set(Some(passed));
        self.own.take();
        for book in &*self.books.borrow() {
            if let Some(mut book) = book.lock() {
                book.end_test(&self.key, passed);
                if passed {
                    // Also if it has asked nothing: the recording has to be there.
                    book.users.insert(self.key.file.clone());
                }
            }
            book.tell();
        }
    }

    /// Notes why a request has no answer.
    pub(super) fn note_fault(&self, fault: &Diagnostic) {
        self.fault.borrow_mut().get_or_insert_with(|| fault.clone());
    }

    pub(super) fn fault(&self) -> Option<Diagnostic> {
        self.fault.borrow().clone()
    }

    pub(super) fn take_fault(&self) -> Option<Diagnostic> {
        self.fault.take()
    }

    /// Why a request is refused that belongs to no recording.
    pub(super) fn refused(&self, model: &str) -> Box<Diagnostic> {
        let fault = words::refused(model, &self.file);
        self.note_fault(&fault);
        Box::new(fault)
    }

    /// The requests of the test file itself, of which one is made to `model` now.
    ///
    /// # Errors
    /// When it has no recording that can be used.
    pub(super) fn own_run(self: &Rc<Self>, model: &str) -> Result<Rc<Run>, Box<Diagnostic>> {
        if let Some(run) = &*self.own.borrow() {
            return Ok(run.clone());
        }
        let run = self.open(&self.file.own, false, || words::refused_own(model, &self.file));
        let run = run.inspect_err(|fault| self.note_fault(fault))?;
        // It has no end of its own: what it breaks off counts as long as the test goes on.
        run.end();
        self.own.replace(Some(run.clone()));
        Ok(run)
    }

    /// A run with a recording that the test names.
    ///
    /// # Errors
    /// When it is not there, or cannot be used.
    pub(super) fn run(self: &Rc<Self>, path: &Path) -> Result<Rc<Run>, Box<Diagnostic>> {
        self.open(path, true, || words::unusable(path, &Unusable::Missing, &self.file))
    }

    fn open(
        self: &Rc<Self>,
        path: &Path,
        is_named: bool,
        missing: impl FnOnce() -> Diagnostic,
    ) -> Result<Rc<Run>, Box<Diagnostic>> {
        let book = self.shelf.book(path);
        book.read(self.shelf.mode.is_recording()).map_err(|why| match why {
            Unusable::Missing => missing(),
            why => words::unusable(&book.path, why, &self.file),
        })?;
        if let Some(mut book) = book.lock() {
            book.is_named |= is_named;
        }
        let mut books = self.books.borrow_mut();
        if !books.iter().any(|known| Arc::ptr_eq(known, &book)) {
            books.push(book.clone());
        }
        Ok(Rc::new(Run {
            test: self.clone(),
            book,
            played: RefCell::default(),
            broken_off: RefCell::default(),
            has_ended: Cell::new(false),
        }))
    }
}

/// One run of a prompt with a recording.
pub(super) struct Run {
    pub(super) test: Rc<Test>,
    book: Arc<SharedBook>,
    /// The places of what it has used.
    played: RefCell<BTreeSet<usize>>,
    /// The places of failures and half answers that came to it.
    broken_off: RefCell<Vec<usize>>,
    /// Whether it came to its end. One that is given up never does: where it was then is chance.
    has_ended: Cell<bool>,
}

/// What happens to a request.
pub(super) enum Next<'a> {
    /// This answers it.
    Play(Arc<RecordedExchange>),
    /// The model is to be asked.
    Ask(Ticket),
    /// Another test is being answered the same: then look again.
    Wait(Pin<Box<dyn Future<Output = ()> + 'a>>),
    /// Nothing answers it; with why.
    Nothing(Box<Diagnostic>),
}

impl Run {
    /// The run came to its end: what was broken off counts if its test passes.
    pub(super) fn end(&self) {
        self.has_ended.set(true);
        let Some(mut book) = self.book.lock() else { return };
        for place in self.broken_off.take() {
            book.entries[place].origin = self.origin_of_broken_off();
        }
    }

    /// Where a failure or half an answer belongs.
    fn origin_of_broken_off(&self) -> Origin {
        let may_count = self.has_ended.get() && self.test.passed.get().is_none();
        if may_count { Origin::Of(self.test.key.clone()) } else { Origin::Nobody }
    }

    /// The place of a request among those of the test, in the order in which they are made.
    pub(super) fn begin_request(&self) -> Use {
        let number = self.test.asked.get();
        self.test.asked.set(number + 1);
        (self.test.key.clone(), number)
    }

    /// What happens to a request now.
    pub(super) fn next(self: &Rc<Self>, asked: &ReplayRequest, request: &Use, redactor: &Redactor) -> Next<'_> {
        let Some(mut book) = self.book.lock() else { unreachable!("a run begins with a recording that was read") };
        book.users.insert(self.test.key.file.clone());
        let places = book.entries.iter().enumerate();
        let equal =
            places.filter(|(place, entry)| self.may_play(*place, entry) && asked.is_answered_by(&entry.exchange));
        // The first of those that the test has used least.
        if let Some((place, _)) = equal.min_by_key(|(place, _)| (self.times(*place), *place)) {
            self.note(place);
            return Next::Play(book.use_entry(place, request.clone()));
        }
        if self.test.shelf.mode == Mode::Replay {
            let total = book.entries.len();
            let left = book.entries.iter().enumerate().filter(|(place, _)| !self.played.borrow().contains(place));
            // What answers another request well is less likely to have been meant.
            let (used, unused): (Vec<_>, Vec<_>) = left.partition(|(_, entry)| entry.used.is_some());
            let left = unused.into_iter().chain(used).map(|(place, entry)| (place, &*entry.exchange));
            let why = asked.mismatch_message(left, total, &words::shown(&self.book.path), redactor);
            return Next::Nothing(Box::new(words::nothing_equal(why, &self.test.file)));
        }
        if book.is_asked_by_another(asked, &self.test.key) {
            return Next::Wait(Box::pin(self.book.change()));
        }
        book.asking.push((self.test.key.clone(), asked.clone()));
        Next::Ask(Ticket { run: self.clone(), asked: asked.clone(), request: request.clone() })
    }

    fn may_play(&self, place: usize, entry: &Entry) -> bool {
        let is_ours = match &entry.origin {
            Origin::File => self.test.shelf.mode != Mode::RecordAll,
            Origin::New => true,
            Origin::Of(test) => *test == self.test.key,
            Origin::Nobody => false,
        };
        let is_recording = self.test.shelf.mode != Mode::Replay;
        // While it is recorded, each repetition gets an answer of its own.
        let is_good = !is_recording || self.times(place) == 0 && entry.exchange.temporary_failure().is_none();
        is_ours && is_good && !self.played.borrow().contains(&place)
    }

    /// How often the test has used an exchange.
    fn times(&self, place: usize) -> usize {
        self.test.played.borrow().get(&(self.book.path.clone(), place)).copied().unwrap_or(0)
    }

    fn note(&self, place: usize) {
        self.played.borrow_mut().insert(place);
        *self.test.played.borrow_mut().entry((self.book.path.clone(), place)).or_default() += 1;
    }
}

/// A request that a model is being asked. Others with the same wait until this is dropped.
pub(super) struct Ticket {
    run: Rc<Run>,
    asked: ReplayRequest,
    request: Use,
}

impl Ticket {
    /// Takes the exchange into the recording; one that failed for reasons that pass fails the test.
    pub(super) fn keep(self, exchange: RecordedExchange) {
        if let Some(why) = exchange.temporary_failure() {
            self.run.test.note_fault(&words::unanswered(&self.asked.name(), why));
            return;
        }
        let run = &*self.run;
        let Some(mut book) = run.book.lock() else { return };
        let place = book.entries.len();
        let origin = if exchange.is_whole() {
            Origin::New
        } else {
            run.broken_off.borrow_mut().push(place);
            run.origin_of_broken_off()
        };
        book.entries.push(Entry { exchange: Arc::new(exchange), origin, used: Some(self.request.clone()) });
        run.note(place);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let book = &self.run.book;
        if let Some(mut book) = book.lock() {
            let mine = |(test, asked): &(TestKey, ReplayRequest)| *test == self.run.test.key && *asked == self.asked;
            if let Some(place) = book.asking.iter().position(mine) {
                book.asking.swap_remove(place);
            }
        }
        book.tell();
    }
}
