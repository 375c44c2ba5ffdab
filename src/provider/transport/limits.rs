//! How long a call may take.

use std::time::Duration;

use tokio::time::Instant;

use crate::chat::Timeouts;

/// The limits of one call, with the defaults filled in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub total: Duration,
    pub first_byte: Duration,
    pub idle: Duration,
    /// When the whole call is over.
    pub deadline: Instant,
}

impl Limits {
    /// Limits that count from now.
    pub(super) fn new(timeouts: Timeouts) -> Self {
        let total = timeouts.total.unwrap_or(Duration::from_secs(600));
        Limits {
            total,
            first_byte: timeouts.first_byte.unwrap_or(Duration::from_secs(120)),
            idle: timeouts.idle.unwrap_or(Duration::from_secs(60)),
            // A limit beyond what the clock can say is no limit.
            deadline: Instant::now()
                .checked_add(total)
                .unwrap_or_else(|| Instant::now() + Duration::from_secs(86_400 * 365)),
        }
    }
}
