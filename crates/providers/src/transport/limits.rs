//! Timeouts of a call.

use std::time::Duration;

use tokio::time::Instant;

use lmthing_base::chat::Timeouts;

/// Default timeout for the head and for gaps. Models may think for minutes without output.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub total: Duration,
    pub first_byte: Duration,
    pub idle: Duration,
    pub deadline: Instant,
}

impl Limits {
    pub(super) fn new(timeouts: Timeouts) -> Self {
        // Unlimited by default: a slow response is still a response.
        let total = timeouts.total.unwrap_or(Duration::MAX);
        Limits {
            total,
            first_byte: timeouts.first_byte.unwrap_or(DEFAULT_TIMEOUT),
            idle: timeouts.idle.unwrap_or(DEFAULT_TIMEOUT),
            // A limit that overflows the clock means no limit.
            deadline: Instant::now()
                .checked_add(total)
                .unwrap_or_else(|| Instant::now() + Duration::from_secs(86_400 * 365)),
        }
    }
}
