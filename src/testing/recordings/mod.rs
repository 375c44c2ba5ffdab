//! Recordings of tests (docs/reference.md, "Recordings of tests"): who answers what a test asks of models, and which
//! exchanges a file keeps.
//!
//! One [`Shelf`] serves a whole `lmthing test`, all of its threads. Each file that is run gets a [`FileRecordings`] from it, on
//! its own thread, and each of its tests a [`TestRecordings`]. What goes into an engine are [`Exchanges`]:
//!
//! ```text
//! let shelf = Shelf::new(mode);                          // once
//! let file = shelf.for_file(&path, &shown);              // each file, on its thread
//! let exchanges = file.own(&redactor);                   //   for the engine of the test file
//! let test = file.begin_test(index);                     //   each test
//! test.begin_attempt();                                  //     each repetition
//! let exchanges = test.exchanges(&recording, &redactor)?; //    each run() with a recording
//! let exchanges = test.unrecorded();                     //     each other run(), with or without a mock
//! test.take_fault();                                     //     after each run, and at the end of a test that has passed
//! file.end_test(passed);
//! file.end(whole);
//! let finished = shelf.finish();                         // once
//! ```
//!
//! `book` is a recording in memory, `door` stands between a run and models, `changes` says what is written.
//! Must not know: how a test is run, what a recording looks like inside (`provider::record`).
//!
//! [`Exchanges`]: crate::script::bindings::Exchanges

mod book;
mod changes;
mod door;
mod for_file;
mod for_test;
mod words;
mod write;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
};

pub(crate) use for_file::FileRecordings;
pub(crate) use for_test::TestRecordings;

use book::SharedBook;
use for_file::TestedFile;

/// Who answers what tests ask of models. Mock models, and those written in JavaScript, always answer themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Recordings alone; no model is asked.
    #[default]
    Replay,
    /// Recordings, and the models for what is not recorded yet (`--record`).
    Record,
    /// The models for everything, and all is recorded anew (`--record --live`).
    RecordAll,
    /// The models, also where there are recordings, which stay as they are (`--live`).
    Live,
}

impl Mode {
    /// Whether recordings are written.
    fn is_recording(self) -> bool {
        matches!(self, Mode::Record | Mode::RecordAll)
    }
}

/// The recordings of a `lmthing test`: each is read once, and written where it has changed.
pub(crate) struct Shelf {
    mode: Mode,
    books: Mutex<BTreeMap<PathBuf, Arc<SharedBook>>>,
    /// The files that have ended, and whether whole.
    ended: Mutex<BTreeMap<Arc<Path>, bool>>,
}

/// What a person should know at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finished {
    /// What was written, and what nobody asks for any more; a sentence each.
    pub(crate) notes: Vec<String>,
    /// Recordings that could not be written; a sentence each. The command has failed then.
    pub(crate) errors: Vec<String>,
}

impl Shelf {
    /// The shelf of a `lmthing test`.
    pub(crate) fn new(mode: Mode) -> Arc<Shelf> {
        Arc::new(Shelf { mode, books: Mutex::default(), ended: Mutex::default() })
    }

    /// The recordings of a file that is to be run: a test file, or a prompt file with its smoke test. `file` is its absolute
    /// path, `shown` what a person calls it.
    pub(crate) fn for_file(self: &Arc<Self>, file: &Path, shown: &Path) -> Rc<FileRecordings> {
        FileRecordings::new(self.clone(), TestedFile::new(file, shown))
    }

    /// Writes the recordings that have changed. Called once, when no file is run any more, also after an interruption:
    /// exchanges are only dropped from a recording when all files that use it have ended whole.
    pub(crate) fn finish(&self) -> Finished {
        let books: Vec<_> = self.books().values().cloned().collect();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut finished = Finished::default();
        for book in books {
            write::finish(&book, self.mode, &ended, &mut finished);
        }
        finished
    }

    /// Whether recordings are written.
    pub(crate) fn is_recording(&self) -> bool {
        self.mode.is_recording()
    }

    /// The recordings that were asked for so far.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.books().keys().cloned().collect()
    }

    /// The recording at a path, which may not have been read yet.
    fn book(&self, path: &Path) -> Arc<SharedBook> {
        self.books().entry(real(path)).or_insert_with_key(|path| SharedBook::new(path)).clone()
    }

    fn books(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, Arc<SharedBook>>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file_ended(&self, file: &TestedFile, whole: bool) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(file.path.clone(), whole);
        let books: Vec<_> = self.books().values().cloned().collect();
        if self.mode.is_recording() {
            // What was paid for is not lost if the process is ended.
            books.iter().for_each(|book| write::keep_safe(book, self.mode, file));
        }
        if whole && !file.is_prompt && self.mode != Mode::Live && file.own.exists() {
            // It may hold what nobody asks for any more.
            let book = self.book(&file.own);
            if book.read(false).is_ok()
                && let Some(mut book) = book.lock()
            {
                book.users.insert(file.path.clone());
            }
        }
    }
}

/// One name for a file, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let beside = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned())
}
