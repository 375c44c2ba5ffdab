//! One recording in memory, shared by the threads of all tests that use it: the exchanges of its file and the new
//! ones.

use std::{
    collections::BTreeSet,
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use tokio::sync::Notify;

use lmthing_providers::{InvalidRecording, RecordedExchange, RecordedFile, ReplayRequest, check_recording_writable};
use lmthing_system::user_file::{self, MAX_TEXT};

/// Identifies a test. The order, by file and position in it, is the order of new exchanges in a recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TestKey {
    pub(super) file: Arc<Path>,
    pub(super) index: usize,
}

/// A request of a test, by its number within the test.
pub(super) type RequestKey = (TestKey, usize);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    File,
    New,
    /// Recorded now; a failure or a partial answer of a completed run. Only its test may use it, and it is kept if
    /// the test passes.
    Partial(TestKey),
    /// To be written to no file.
    Discarded,
}

pub(super) struct Entry {
    pub(super) exchange: Arc<RecordedExchange>,
    pub(super) origin: Origin,
    pub(super) used: Option<RequestKey>,
}

#[derive(Default)]
pub(super) struct Recording {
    /// Only appended to: requests refer to entries by index.
    pub(super) entries: Vec<Entry>,
    /// The users listed in the file, relative to its folder.
    pub(super) listed: Vec<String>,
    /// The exchanges and users that the file contains now; `None` if there is no file.
    pub(super) on_disk: Option<(Vec<Arc<RecordedExchange>>, Vec<String>)>,
    /// The test files that have used it, or could have, in this process.
    pub(super) users: BTreeSet<Arc<Path>>,
    /// Whether a run refers to it. Other recordings are written only for test files that make requests themselves.
    pub(super) is_named: bool,
    /// Whether it has fewer answers than cells of an eval have asked for by equal requests.
    pub(super) is_played_twice: bool,
    /// Requests that models are answering.
    pub(super) active_requests: Vec<(TestKey, ReplayRequest)>,
}

#[derive(Debug)]
pub(super) enum Unusable {
    Missing,
    Unreadable(io::Error),
    /// The file is not a recording; with the reason.
    Broken(InvalidRecording),
    /// The file has to be written but cannot be.
    Unwritable(io::Error),
}

/// Read at its first use.
pub(super) struct SharedRecording {
    pub(super) path: Arc<Path>,
    read: OnceLock<Result<Mutex<Recording>, Unusable>>,
    /// Notified when a request has been answered or has failed.
    changed: Notify,
}

impl SharedRecording {
    pub(super) fn new(path: &Path) -> Arc<Self> {
        Arc::new(SharedRecording { path: path.into(), read: OnceLock::new(), changed: Notify::new() })
    }

    /// Reads the recording once. A recording that is to be written may be missing.
    pub(super) fn read(&self, is_written: bool) -> Result<(), &Unusable> {
        let read = || match Recording::read(&self.path) {
            // Checks for write access before anything is paid for.
            read @ (Ok(_) | Err(Unusable::Missing)) if is_written => match check_recording_writable(&self.path) {
                Ok(()) => Ok(read.unwrap_or_default()),
                Err(error) => Err(Unusable::Unwritable(error)),
            },
            read => read,
        };
        self.read.get_or_init(|| read().map(Mutex::new)).as_ref().map(drop)
    }

    /// Returns `None` if the recording was not read or is unusable.
    pub(super) fn lock(&self) -> Option<MutexGuard<'_, Recording>> {
        let recording = self.read.get()?.as_ref().ok()?;
        // A panic leaves no change incomplete.
        Some(recording.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn notify(&self) {
        self.changed.notify_waiters();
    }

    /// Resolves at the next notification after this call.
    pub(super) fn changed(&self) -> impl Future<Output = ()> {
        self.changed.notified()
    }
}

impl Recording {
    fn read(path: &Path) -> Result<Recording, Unusable> {
        let bytes = user_file::read(path, MAX_TEXT).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Unusable::Missing,
            _ => Unusable::Unreadable(error),
        })?;
        let text = String::from_utf8(bytes).map_err(|error| Unusable::Broken(error.into()))?;
        let file = RecordedFile::parse(&text).map_err(Unusable::Broken)?;
        let entry =
            |exchange: &Arc<RecordedExchange>| Entry { exchange: exchange.clone(), origin: Origin::File, used: None };
        let entries = file.exchanges.iter().map(entry).collect();
        let listed = file.used_by.clone();
        Ok(Recording { entries, listed, on_disk: Some((file.exchanges, file.used_by)), ..Recording::default() })
    }

    pub(super) fn is_requested_by_other(&self, asked: &ReplayRequest, test: &TestKey) -> bool {
        self.active_requests.iter().any(|(other, theirs)| other != test && theirs == asked)
    }

    pub(super) fn use_entry(&mut self, index: usize, used: RequestKey) -> Arc<RecordedExchange> {
        let entry = &mut self.entries[index];
        if entry.used.as_ref().is_none_or(|first| used < *first) {
            entry.used = Some(used);
        }
        entry.exchange.clone()
    }

    /// Ends a test: other tests do not wait for its requests any more, and its partial exchanges are kept or discarded.
    pub(super) fn end_test(&mut self, test: &TestKey, passed: bool) {
        self.active_requests.retain(|(other, _)| other != test);
        for entry in &mut self.entries {
            if matches!(&entry.origin, Origin::Partial(owner) if owner == test) {
                entry.origin = if passed { Origin::New } else { Origin::Discarded };
            }
        }
    }
}
