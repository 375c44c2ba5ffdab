//! One recording in memory: what its file held, what was asked for, and what has come to it. Shared by all threads whose tests
//! use it. Must not know how it is written.

use std::{
    collections::BTreeSet,
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use tokio::sync::Notify;

use crate::{
    provider::{RecordedExchange, RecordedFile, ReplayRequest, check_recording_writable},
    user_file::{self, MAX_TEXT},
};

/// A test, in the order in which recordings are put together: by file, then by its place in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TestKey {
    pub(super) file: Arc<Path>,
    pub(super) index: usize,
}

/// A request of a test, in the order in which it has asked.
pub(super) type Use = (TestKey, usize);

/// Where an exchange comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The file held it.
    File,
    /// It came now.
    New,
    /// It came now and is a failure or half an answer of a run that came to its end: only the test that has it may use it, and it
    /// counts when that has passed.
    Of(TestKey),
    /// It came now and does not count.
    Nobody,
}

/// An exchange of a recording.
pub(super) struct Entry {
    pub(super) exchange: Arc<RecordedExchange>,
    pub(super) origin: Origin,
    /// The first request that it has answered.
    pub(super) used: Option<Use>,
}

/// What a recording holds.
#[derive(Default)]
pub(super) struct Book {
    /// Places never change.
    pub(super) entries: Vec<Entry>,
    /// What the file said about who uses it, from its folder.
    pub(super) listed: Vec<String>,
    /// What the file holds now and who it says uses it; `None` when there is no file.
    pub(super) on_disk: Option<(Vec<Arc<RecordedExchange>>, Vec<String>)>,
    /// Who has asked it now, or could have.
    pub(super) users: BTreeSet<Arc<Path>>,
    /// Whether a run names it; others are only made when a test file asks something itself.
    pub(super) is_named: bool,
    /// What is asked at the moment, and by whom.
    pub(super) asking: Vec<(TestKey, ReplayRequest)>,
}

/// Why a recording cannot be used.
#[derive(Debug)]
pub(super) enum Unusable {
    /// There is none.
    Missing,
    /// It cannot be read; with why.
    Unread(io::Error),
    /// It is something else; with what is wrong with it.
    Broken(String),
    /// It is to be written and cannot be.
    Unwritten(io::Error),
}

/// A recording, which is read when it is used first.
pub(super) struct SharedBook {
    pub(super) path: Arc<Path>,
    read: OnceLock<Result<Mutex<Book>, Unusable>>,
    /// Told when a request has been answered, or will not be.
    changed: Notify,
}

impl SharedBook {
    pub(super) fn new(path: &Path) -> Arc<Self> {
        Arc::new(SharedBook { path: path.into(), read: OnceLock::new(), changed: Notify::new() })
    }

    /// Reads the recording, unless that is done. One that is to be written need not be there.
    pub(super) fn read(&self, is_written: bool) -> Result<(), &Unusable> {
        let read = || match Book::read(&self.path) {
            // Found out now and not after what was paid for.
            read @ (Ok(_) | Err(Unusable::Missing)) if is_written => match check_recording_writable(&self.path) {
                Ok(()) => Ok(read.unwrap_or_default()),
                Err(error) => Err(Unusable::Unwritten(error)),
            },
            read => read,
        };
        self.read.get_or_init(|| read().map(Mutex::new)).as_ref().map(drop)
    }

    /// What it holds; `None` when it was never read, or could not be.
    pub(super) fn lock(&self) -> Option<MutexGuard<'_, Book>> {
        let book = self.read.get()?.as_ref().ok()?;
        // Nothing in it is left half done by a panic.
        Some(book.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whoever waits for another test's answer looks again.
    pub(super) fn tell(&self) {
        self.changed.notify_waiters();
    }

    /// Waits until something is told; whatever is told from now on counts.
    pub(super) fn change(&self) -> impl Future<Output = ()> {
        self.changed.notified()
    }
}

impl Book {
    fn read(path: &Path) -> Result<Book, Unusable> {
        let bytes = user_file::read(path, MAX_TEXT).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Unusable::Missing,
            _ => Unusable::Unread(error),
        })?;
        let text = String::from_utf8(bytes).map_err(|_| Unusable::Broken("it is not text".to_owned()))?;
        let file = RecordedFile::parse(&text).map_err(Unusable::Broken)?;
        let entry =
            |exchange: &Arc<RecordedExchange>| Entry { exchange: exchange.clone(), origin: Origin::File, used: None };
        let entries = file.exchanges.iter().map(entry).collect();
        let listed = file.used_by.clone();
        Ok(Book { entries, listed, on_disk: Some((file.exchanges, file.used_by)), ..Book::default() })
    }

    /// Whether another test is being answered what is asked here.
    pub(super) fn is_asked_by_another(&self, asked: &ReplayRequest, test: &TestKey) -> bool {
        self.asking.iter().any(|(other, theirs)| other != test && theirs == asked)
    }

    /// Notes that an exchange answers a request.
    pub(super) fn use_entry(&mut self, index: usize, used: Use) -> Arc<RecordedExchange> {
        let entry = &mut self.entries[index];
        if entry.used.as_ref().is_none_or(|first| used < *first) {
            entry.used = Some(used);
        }
        entry.exchange.clone()
    }

    /// A test is over: nobody waits for it any more, and it is known which of its exchanges count.
    pub(super) fn end_test(&mut self, test: &TestKey, passed: bool) {
        self.asking.retain(|(other, _)| other != test);
        for entry in &mut self.entries {
            if matches!(&entry.origin, Origin::Of(owner) if owner == test) {
                entry.origin = if passed { Origin::New } else { Origin::Nobody };
            }
        }
    }
}
