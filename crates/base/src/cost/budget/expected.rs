//! What requests in batches are expected to use. They are on their way together, before the first of them is counted.

use super::{
    Budget, Estimate, LimitReached, OpenRequest, Outlook,
    answers::{BatchStage, BatchedRequest, Beyond, FIRST_REQUESTS, float},
};
use crate::cost::limits::Limits;

/// What an unknown answer may use at most, in tokens. Most models write no more without being asked to.
const LONG_ANSWER: f64 = 8192.0;

impl Budget {
    /// Reserves what answers of batches are expected to use, which this many runs wait for.
    pub fn expect_batches(&mut self, runs: usize) {
        self.answers.runs = runs;
    }

    pub fn outlook(&self) -> Outlook {
        match self.first_excess(0.0) {
            Some((fitting, reached)) => Outlook::Above(fitting, reached),
            None if self.first_excess(LONG_ANSWER).is_some() => Outlook::Unknown,
            None => Outlook::Fits,
        }
    }

    /// The first request that exceeds a limit if each answer of which nothing is known has so many tokens.
    fn first_excess(&self, unknown: f64) -> Option<(usize, LimitReached)> {
        let Limits { tokens: most_tokens, cost: most_cost, .. } = self.limits;
        let (mut tokens, mut cost) = (self.used_tokens(), self.spent());
        self.waiting().enumerate().find_map(|(fitting, open)| {
            let (next_tokens, next_cost) = self.awaited_by(open, unknown);
            (tokens, cost) = (tokens + next_tokens, cost + next_cost);
            let by_tokens = most_tokens.filter(|most| tokens > *most).map(|limit| self.reached_tokens(limit, 0));
            // Sums of binary fractions are not exact.
            let by_cost =
                || most_cost.filter(|most| cost > most * (1.0 + 1e-9)).map(|limit| self.reached_cost(limit, 0.0));
            Some((fitting, by_tokens.or_else(by_cost)?))
        })
    }

    pub(super) fn awaits_batch(&self, estimate: &Estimate) -> bool {
        self.answers.runs > 0 && estimate.batched.is_some_and(|batched| batched.stage != BatchStage::Answered)
    }

    /// What the answer is expected to use beyond the input, if a batch gives it.
    pub(super) fn beyond(&self, estimate: &Estimate, unknown: f64) -> Beyond {
        match estimate.batched.filter(|_| self.awaits_batch(estimate)) {
            Some(request) => self.answers.expected(request, unknown),
            None => Beyond::default(),
        }
    }

    /// How long the answer of one of several requests may be that are on their way together, when `left` is left after
    /// the expected use of all.
    pub(super) fn share_of(&self, left: u64, expected: f64, estimate: &Estimate) -> u64 {
        let batched = if estimate.batched.is_some() { self.answers.runs } else { 1 };
        left / batched.clamp(1, FIRST_REQUESTS) as u64 + whole(expected)
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = &OpenRequest> {
        self.open.values().filter(|open| self.awaits_batch(&open.estimate))
    }

    /// The tokens and the cost that requests in batches are expected to use.
    pub(super) fn awaited(&self, unknown: f64) -> (u64, f64) {
        let sum = |(tokens, cost), (next_tokens, next_cost)| (tokens + next_tokens, cost + next_cost);
        self.waiting().map(|open| self.awaited_by(open, unknown)).fold((0, 0.0), sum)
    }

    fn awaited_by(&self, OpenRequest { estimate, .. }: &OpenRequest, unknown: f64) -> (u64, f64) {
        let beyond = self.beyond(estimate, unknown);
        let cost = estimate.input_cost + beyond.outputs * estimate.output_token_price;
        (estimate.input_tokens + whole(beyond.tokens), cost)
    }

    pub(super) fn learn(&mut self, estimate: &Estimate, tokens: u64, cost: f64) {
        let Some(BatchedRequest { step, .. }) = estimate.batched else { return };
        let price = estimate.output_token_price;
        let outputs = if price > 0.0 { (cost - estimate.input_cost) / price } else { 0.0 };
        let tokens = float(tokens) - float(estimate.input_tokens);
        self.answers.learn(step, Beyond { tokens, outputs });
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(tokens: f64) -> u64 {
    tokens.ceil() as u64
}
