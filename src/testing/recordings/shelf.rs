//! All recordings of a `lmthing test`, for all of its threads. Must not know who asks.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    book::SharedBook,
    mode::Mode,
    tested_file::TestedFile,
    write::{self, Finished},
};

/// The recordings of a `lmthing test`: each is read once, and written where it has changed.
pub(crate) struct Shelf {
    pub(super) mode: Mode,
    books: Mutex<BTreeMap<PathBuf, Arc<SharedBook>>>,
    /// The files that have ended, and whether whole.
    ended: Mutex<BTreeMap<Arc<Path>, bool>>,
}

impl Shelf {
    /// The shelf of a `lmthing test`.
    pub(crate) fn new(mode: Mode) -> Arc<Shelf> {
        Arc::new(Shelf { mode, books: Mutex::default(), ended: Mutex::default() })
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
    pub(super) fn book(&self, path: &Path) -> Arc<SharedBook> {
        self.books().entry(real(path)).or_insert_with_key(|path| SharedBook::new(path)).clone()
    }

    fn books(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<SharedBook>>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn file_ended(&self, file: &TestedFile, whole: bool) {
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
