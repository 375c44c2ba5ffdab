//! What earlier processes have used of what a run may use. Must not know where that was kept.

use std::time::Duration;

use crate::{cost::RunUsage, event::RunSummary};

/// What counts where the whole run is limited: what it has come to, in so many requests that were answered.
pub(crate) fn used_before(summary: &RunSummary, requests: usize) -> RunUsage {
    let sums = summary.sums();
    let tokens = [sums.usage.input_tokens, sums.usage.output_tokens];
    RunUsage {
        steps: requests as u64,
        tokens: tokens.into_iter().flatten().fold(0, u64::saturating_add),
        cost: sums.known_cost,
        time: Duration::from_millis(summary.duration_ms),
    }
}
