//! Writes the end of a run to the journal from another thread, when the thread of the run is blocked in native work.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    error::JournalError,
    file::Journal,
    runs::Status,
    write::{Batch, Figures, Lease},
};
use crate::event::{RunFinish, Summary};

/// Where the end of a run is written, once the run is in a journal. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastEntry(Arc<Mutex<Option<(PathBuf, Lease)>>>);

impl LastEntry {
    /// The run is in this journal now.
    pub(super) fn set(&self, journal: &Path, lease: &Lease) {
        *self.place() = Some((journal.to_owned(), lease.clone()));
    }

    /// Writes down how the run ended. What happened before is in the journal but for the last moments.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, summary: &Summary, end: &RunFinish) -> Result<(), JournalError> {
        let Some((path, mut lease)) = self.place().clone() else { return Ok(()) };
        let error = end.error.as_ref().and_then(|error| serde_json::to_string(error).ok());
        let end = Some((Status::of(end), error));
        let figures = Figures { sums: summary.sums(), model: summary.model.clone(), end };
        // A connection of its own: those of SQLite belong to one thread each.
        Journal::open(&path)?.write(&mut lease, &Batch::default(), &figures)
    }

    fn place(&self) -> MutexGuard<'_, Option<(PathBuf, Lease)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
