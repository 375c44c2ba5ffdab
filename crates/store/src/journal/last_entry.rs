//! Writes the end of a run to the journal from another thread, when the thread of the run is blocked in native work.

use std::sync::{Arc, OnceLock};

use super::{
    runs::RunStatus,
    write::{Batch, RunRow},
    writer::Writer,
};
use lmthing_base::{
    checkpoint::StoreError,
    event::{RunFinish, RunSummary},
};

/// Writes the end of a run once the run is in a journal. Clones share the same target.
#[derive(Clone, Debug, Default)]
pub struct LastEntry(Arc<OnceLock<Writer>>);

impl LastEntry {
    pub(super) fn set(&self, writer: Writer) {
        let _ = self.0.set(writer);
    }

    /// Writes the end of the run, and waits for that. The last moments before it may be missing in the journal.
    pub fn write(&self, summary: &RunSummary, end: &RunFinish) -> Result<(), StoreError> {
        let Some(writer) = self.0.get() else { return Ok(()) };
        let error = end.error.as_ref().and_then(|error| serde_json::to_string(error).ok());
        let end = Some((RunStatus::of(end), error));
        let figures = RunRow { sums: summary.sums(), model: summary.model.clone(), end };
        writer.write(Batch::default(), figures).wait()
    }
}
