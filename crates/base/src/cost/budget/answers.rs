//! What answers of batches use, learned from those that are known.

use std::collections::BTreeMap;

/// How many requests are sent first when it is not known how much answers use, and how many answers at least a limit
/// pays for.
pub const FIRST_REQUESTS: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchedRequest {
    pub step: usize,
    /// How many tokens the answer may have, if the author has set it.
    pub max_output: Option<u64>,
    pub stage: BatchStage,
}

/// How far a request is that goes, or went, into a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BatchStage {
    New,
    /// It is at the provider.
    Submitted,
    Answered,
}

/// What answers have used beyond the estimates of their inputs. Of another step they may be of another kind.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The number of runs with these limits whose requests go into batches.
    pub(super) runs: usize,
    by_step: BTreeMap<usize, (Sample, Sample)>,
}

/// In tokens, and as the number of output tokens that costs as much.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beyond {
    pub(super) tokens: f64,
    pub(super) outputs: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sample {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    /// The mean with its standard error.
    fn expected(self) -> f64 {
        let mean = self.sum / self.count;
        let variance = (self.squares / self.count - mean * mean).max(0.0);
        (mean + (variance / self.count).sqrt()).max(0.0)
    }
}

impl Beyond {
    fn both(tokens: f64) -> Self {
        Beyond { tokens, outputs: tokens }
    }

    fn max(self, other: Beyond) -> Self {
        Beyond { tokens: self.tokens.max(other.tokens), outputs: self.outputs.max(other.outputs) }
    }
}

impl Answers {
    pub(super) fn learn(&mut self, step: usize, beyond: Beyond) {
        let (tokens, outputs) = self.by_step.entry(step).or_default();
        tokens.add(beyond.tokens);
        outputs.add(beyond.outputs);
    }

    pub(super) fn expected(&self, request: BatchedRequest, unknown: f64) -> Beyond {
        let expected =
            |(tokens, outputs): &(Sample, Sample)| Beyond { tokens: tokens.expected(), outputs: outputs.expected() };
        let known = self.by_step.get(&request.step).map(expected);
        let known = known.or_else(|| self.by_step.values().map(expected).reduce(Beyond::max));
        known.unwrap_or_else(|| Beyond::both(request.max_output.map_or(unknown, float)))
    }
}

/// Counts are far below 2^53, where a float becomes inexact.
#[allow(clippy::cast_precision_loss)]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}
