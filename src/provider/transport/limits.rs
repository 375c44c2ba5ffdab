//! How long a call may take.

use std::time::Duration;

use tokio::time::Instant;

use crate::chat::Timeouts;

/// How long to wait for the head, and for each further piece, unless set: as long as models think without a word.
const PATIENCE: Duration = Duration::from_secs(300);

/// The limits of one call, with the defaults filled in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Longer than the clock can say when there is none.
    pub total: Duration,
    pub first_byte: Duration,
    pub idle: Duration,
    /// When the whole call is over.
    pub deadline: Instant,
}

impl Limits {
    /// Limits that count from now.
    pub(super) fn new(timeouts: Timeouts) -> Self {
        // No limit on the whole: an answer that comes, however slowly, is an answer.
        let total = timeouts.total.unwrap_or(Duration::MAX);
        Limits {
            total,
            first_byte: timeouts.first_byte.unwrap_or(PATIENCE),
            idle: timeouts.idle.unwrap_or(PATIENCE),
            // A limit beyond what the clock can say is no limit.
            deadline: Instant::now()
                .checked_add(total)
                .unwrap_or_else(|| Instant::now() + Duration::from_secs(86_400 * 365)),
        }
    }
}
