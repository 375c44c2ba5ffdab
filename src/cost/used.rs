//! What a run has used before the process that goes on with it.

use std::time::Duration;

use super::limits::Limits;

/// Sums over all prompts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// Requests to models.
    pub steps: u64,
    /// Tokens of input and output together.
    pub tokens: u64,
    /// US dollars, as far as they are known.
    pub cost: f64,
    /// How long the run was at work.
    pub time: Duration,
}

impl Used {
    /// Whether there was nothing before.
    pub(super) fn is_nothing(&self) -> bool {
        *self == Used::default()
    }
}

impl Limits {
    /// Limits on what is used from now on, as limits on what is used in all.
    pub(super) fn beyond(self, used: &Used) -> Self {
        Limits {
            steps: self.steps.map(|steps| steps.saturating_add(used.steps)),
            tokens: self.tokens.map(|tokens| tokens.saturating_add(used.tokens)),
            cost: self.cost.map(|cost| cost + used.cost),
            time: self.time.map(|time| time.saturating_add(used.time)),
            parallel: self.parallel,
        }
    }
}
