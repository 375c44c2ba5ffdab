//! Opens the state of batches before a pool begins.

use std::path::Path;

use crate::{
    batches::{BatchState, CancelledBatches, EarlierBatches, cancel_all, read_earlier},
    options::{BatchOptions, MapListener, PoolOptions},
    results::Provenance,
};
use lmthing_base::diagnostic::Diagnostic;

/// What batches have to do with the units of a pool.
#[derive(Default)]
pub struct RowBatches(pub(super) BatchUse);

#[derive(Default)]
pub(super) enum BatchUse {
    #[default]
    None,
    /// Rows go into batches. Some may be stored from an earlier command.
    Used { state: BatchState, has_earlier: bool, options: BatchOptions },
    /// Stored rows are left to a command with batches.
    Left { state: BatchState, batches: u64 },
}

/// Where the state of batches is, and what the results are made with.
pub struct BatchPlace<'a> {
    /// The file of results.
    pub out: &'a Path,
    /// As the user knows it.
    pub shown_out: &'a Path,
    pub provenance: &'a Provenance,
    /// Whether what an earlier command has left is cancelled.
    pub is_fresh: bool,
}

impl RowBatches {
    /// `written` are the numbers and identities of units with results.
    pub fn open(
        place: &BatchPlace<'_>,
        pool: &PoolOptions,
        written: impl IntoIterator<Item = (u64, String)>,
        listener: &mut dyn MapListener,
    ) -> Result<RowBatches, Box<Diagnostic>> {
        let BatchPlace { out, shown_out, provenance, is_fresh } = *place;
        let mut earlier = read_earlier(out, written)?;
        let is_changed = earlier.as_ref().is_some_and(|earlier| earlier.is_changed(provenance));
        if let Some(known) = earlier.take_if(|_| is_fresh || is_changed) {
            if !is_fresh {
                known.check(provenance, shown_out)?;
            }
            let CancelledBatches { cancelled, problem, .. } =
                cancel_all(&known.state, &pool.variables, listener, true)?;
            if cancelled > 0 {
                let were = if cancelled == 1 {
                    "batch of an earlier command was"
                } else {
                    "batches of an earlier command were"
                };
                listener.warned(None, &format!("{cancelled} {were} cancelled"));
            }
            // Nothing is under way any more without `--fresh`, so that only files may be left at the provider.
            if let Some(problem) = problem.filter(|_| is_fresh) {
                return Err(problem);
            }
            known.state.remove();
        }
        if let Some(earlier) = &earlier {
            earlier.state.resume()?;
        }
        Ok(RowBatches(match (earlier, pool.batch.clone()) {
            (Some(EarlierBatches { state, under_way }), None) => BatchUse::Left { state, batches: under_way },
            (None, None) => BatchUse::None,
            (Some(EarlierBatches { state, .. }), Some(options)) => BatchUse::Used { state, has_earlier: true, options },
            (None, Some(options)) => {
                let state = BatchState::create(out, provenance.clone())?;
                BatchUse::Used { state, has_earlier: false, options }
            }
        }))
    }
}
