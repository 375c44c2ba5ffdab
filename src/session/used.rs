//! What earlier processes have used of what a run may use. Must not know where that was kept.

use std::time::Duration;

use crate::{cost::Used, event::Summary};

/// What counts where the whole run is limited: what it has come to, in so many requests that were answered.
pub(crate) fn used_before(summary: &Summary, requests: usize) -> Used {
    let sums = summary.sums();
    let tokens = [sums.usage.input_tokens, sums.usage.output_tokens];
    Used {
        steps: requests as u64,
        tokens: tokens.into_iter().flatten().fold(0, u64::saturating_add),
        cost: sums.known_cost,
        time: Duration::from_millis(summary.duration_ms),
    }
}
