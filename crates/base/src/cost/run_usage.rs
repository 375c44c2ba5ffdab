//! What earlier processes of a run used.

use std::time::Duration;

use super::limits::Limits;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunUsage {
    pub steps: u64,
    /// Input and output together.
    pub tokens: u64,
    /// US dollars, as far as they are known.
    pub cost: f64,
    /// How long the run was active.
    pub time: Duration,
}

impl RunUsage {
    pub(super) fn is_nothing(&self) -> bool {
        *self == RunUsage::default()
    }
}

impl Limits {
    /// Turns limits for this process into limits for the whole run.
    pub(super) fn beyond(self, used: &RunUsage) -> Self {
        Limits {
            steps: self.steps.map(|steps| steps.saturating_add(used.steps)),
            tokens: self.tokens.map(|tokens| tokens.saturating_add(used.tokens)),
            cost: self.cost.map(|cost| cost + used.cost),
            time: self.time.map(|time| time.saturating_add(used.time)),
            parallel: self.parallel,
        }
    }
}
