//! Batches of an earlier command on the same OUT.

use std::path::Path;

use super::{BatchResult, BatchState, shipments::Stage};
use crate::results::Provenance;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_system::process::shell_quoted;

/// The state that an earlier command has left.
pub(crate) struct EarlierBatches {
    pub(crate) state: BatchState,
    /// Batches that a provider may be at work on, or has answered.
    pub(crate) under_way: u64,
}

/// Reads the state next to `out`. Rows whose results stand in OUT, with their identities, are forgotten.
pub(crate) fn read_earlier(
    out: &Path,
    written: impl IntoIterator<Item = (u64, String)>,
) -> BatchResult<Option<EarlierBatches>> {
    let Some(state) = BatchState::open(out)? else { return Ok(None) };
    for (row, identity) in written {
        state.forget_written(row, &identity)?;
    }
    let shipments = state.shipments()?;
    let is_under_way = |stage| matches!(stage, Stage::Uploading | Stage::Creating | Stage::Created | Stage::Ended);
    let under_way = shipments.iter().filter(|it| is_under_way(it.stage) && !it.is_cancelled()).count() as u64;
    Ok(Some(EarlierBatches { state, under_way }))
}

impl EarlierBatches {
    /// Fails if the batches under way were made with another file or model.
    pub(crate) fn check(&self, now: &Provenance, shown_out: &Path) -> BatchResult<()> {
        let then = &self.state.header.provenance;
        if self.under_way == 0 || !self.is_changed(now) {
            return Ok(());
        }
        let (batches, are) = if self.under_way == 1 { ("batch", "is") } else { ("batches", "are") };
        let what = if then.hash == now.hash {
            "the model is another one".to_owned()
        } else {
            format!("{} has changed", now.file)
        };
        let (count, out) = (self.under_way, shown_out.display());
        let quoted = shell_quoted(&out.to_string());
        let message = format!("{what}, and {count} {batches} of {out} {are} under way with what it was");
        let hint = format!(
            "undo the change to take the answers; `lmthing map --cancel {quoted}` cancels what is under way, and --fresh also runs all rows again"
        );
        Err(Box::new(Diagnostic::new(message).with_hint(hint)))
    }

    pub(crate) fn is_changed(&self, now: &Provenance) -> bool {
        let then = &self.state.header.provenance;
        then.hash != now.hash || then.model != now.model
    }
}
