//! When batches are made and asked about.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lmthing_providers::BatchLimits;

/// The first wait between two looks at a batch, unless `--poll` says how long.
const FIRST_WAIT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) poll: Option<Duration>,
    pub(super) batch_size: Option<usize>,
    /// Looks at each batch once, and waits for none.
    pub(super) looks_once: bool,
    /// Makes no batch before all rows have made their requests: their costs are estimated first.
    pub(super) gathers_all: bool,
}

/// What becomes of requests that are in no batch.
#[derive(Default)]
pub(super) struct Gathering {
    /// Whether the first requests of all rows were found to fit.
    pub(super) has_begun: bool,
    /// Whether they stay there for now.
    pub(super) rests: bool,
}

impl Pace {
    pub(super) fn first_wait(self) -> Duration {
        self.poll.unwrap_or(FIRST_WAIT)
    }

    pub(super) fn limit(self, limits: BatchLimits, most: usize) -> BatchLimits {
        let requests = self.batch_size.unwrap_or(usize::MAX).min(limits.requests).min(most);
        BatchLimits { requests: requests.max(1), ..limits }
    }
}

pub(crate) fn milliseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
