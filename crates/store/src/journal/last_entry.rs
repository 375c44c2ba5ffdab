//! Writes the end of a run to the journal from another thread, when the thread of the run is blocked in native work.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    error::JournalError,
    file::Journal,
    runs::RunStatus,
    write::{Batch, Lease, RunRow},
};
use lmthing_base::event::{RunFinish, RunSummary};

/// Writes the end of a run once the run is in a journal. Clones share the same target.
#[derive(Clone, Debug, Default)]
pub struct LastEntry(Arc<Mutex<Option<(PathBuf, Lease)>>>);

impl LastEntry {
    pub(super) fn set(&self, journal: &Path, lease: &Lease) {
        *self.target() = Some((journal.to_owned(), lease.clone()));
    }

    /// Writes the end of the run. The last moments before it may be missing in the journal.
    pub fn write(&self, summary: &RunSummary, end: &RunFinish) -> Result<(), JournalError> {
        let Some((path, mut lease)) = self.target().clone() else { return Ok(()) };
        let error = end.error.as_ref().and_then(|error| serde_json::to_string(error).ok());
        let end = Some((RunStatus::of(end), error));
        let figures = RunRow { sums: summary.sums(), model: summary.model.clone(), end };
        // A separate connection, as each belongs to one thread.
        Journal::open(&path)?.write(&mut lease, &Batch::default(), &figures)
    }

    fn target(&self) -> MutexGuard<'_, Option<(PathBuf, Lease)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
