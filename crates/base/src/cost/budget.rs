//! Tracks how much of a run's limits is left.
//!
//! The caller keeps three rules. A request is sent only with an [`Allowance`]. The text of an answer is reported as it arrives,
//! and the answer is cut off if that fails. Each allowance is settled, or released if its request failed. The budget itself only
//! does arithmetic: the caller decides what ends at a limit.

mod answers;
mod expected;
mod messages;

use std::{collections::BTreeMap, time::Duration};

use super::{
    limits::{LimitKind, Limits},
    run_usage::RunUsage,
};
use crate::chat::{MAX_DEFAULT_LIMIT, Usage};
use answers::{Answers, float};
pub use answers::{BatchStage, BatchedRequest, FIRST_REQUESTS};

/// Average length of a token in most languages and tokenizers.
const CHARACTERS_A_TOKEN: u64 = 4;

/// An estimate ends an answer only if it exceeds the limit by this factor: many tokens have five characters, and an answer
/// that the provider itself keeps within the limit must not be cut off.
const CERTAINTY: f64 = 0.8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId(u64);

/// What a request uses before it is answered, and the price of its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    pub input_tokens: u64,
    /// In US dollars.
    pub input_cost: f64,
    /// The price of a token of the answer, in US dollars.
    pub output_token_price: f64,
    /// Whether the request continues the answer of a step that is counted already.
    pub continues_step: bool,
    /// Set if it goes, or went, into a batch.
    pub batched: Option<BatchedRequest>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub request: RequestId,
    /// How many tokens the answer may have; `None` without a limit.
    pub output_left: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LimitReached {
    pub kind: LimitKind,
    /// The tokens or the cost of the request that was refused.
    pub next: f64,
    /// Names the limit, how much was used, and what to set.
    pub message: String,
}

/// Whether the limits on tokens and cost allow what waits for batches.
#[derive(Clone, Debug, PartialEq)]
pub enum Outlook {
    Fits,
    /// Not if answers are long, and none is known.
    Unknown,
    /// Not all of it: this many of the requests fit.
    Above(usize, LimitReached),
}

/// The limits of a run and its usage, over all of its processes.
#[derive(Debug, Default)]
pub struct Budget {
    /// The lower ones of the next two, both counted from the beginning of the run.
    limits: Limits,
    /// For this process only: earlier usage does not count.
    typed: Limits,
    /// Of the file, for the whole run.
    file: Limits,
    /// The usage of earlier processes, or of earlier parts of the run.
    before: RunUsage,
    /// Whether messages count from the beginning of the run, as its user knows of no parts.
    is_one_run: bool,
    steps: u64,
    requests: u64,
    tokens: u64,
    cost: f64,
    open: BTreeMap<RequestId, OpenRequest>,
    answers: Answers,
    /// Whether a part of the totals is estimated.
    is_estimated: bool,
    /// Whether the run is of no file, so that messages name options alone.
    has_no_file: bool,
}

#[derive(Debug)]
struct OpenRequest {
    estimate: Estimate,
    characters: u64,
    /// The answer has reached its tool calls, so its usage will be reported soon.
    is_ending: bool,
}

impl Estimate {
    /// Whether a batch has, or had, the request: no limit refuses or cuts what is paid.
    fn is_submitted(&self) -> bool {
        self.batched.is_some_and(|batched| batched.stage != BatchStage::New)
    }
}

impl Budget {
    pub fn new(typed: Limits) -> Self {
        Budget { limits: typed, typed, ..Budget::default() }
    }

    pub fn after(before: RunUsage, typed: Limits) -> Self {
        let RunUsage { steps, tokens, cost, .. } = before;
        Budget { limits: typed.beyond(&before), typed, before, steps, tokens, cost, ..Budget::default() }
    }

    pub fn report_as_one_run(&mut self) {
        self.is_one_run = true;
    }

    pub fn set_without_file(&mut self) {
        self.has_no_file = true;
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How much time this process has, from its start.
    pub fn time(&self) -> Option<Duration> {
        self.limits.time.map(|time| time.saturating_sub(self.before.time))
    }

    pub fn set_file_limits(&mut self, file: Limits) {
        self.file = file;
        self.limits = self.typed.beyond(&self.before).and(file);
    }

    /// Reserves one request. Its own usage is withheld from other requests and from its answer.
    ///
    /// # Errors
    /// A limit is reached, or would be by this request; it must not be sent.
    pub fn ask(&mut self, estimate: Estimate) -> Result<Allowance, LimitReached> {
        let is_step = !estimate.continues_step;
        let left = match self.left_for(estimate) {
            // The request must have a limit on its answer as before, which is no part of what it asks.
            Err(_) if estimate.is_submitted() => self.limits_answers(&estimate).then_some(MAX_DEFAULT_LIMIT),
            left => left?.into_iter().flatten().min(),
        };
        let request = RequestId(self.requests);
        self.requests += 1;
        self.steps += u64::from(is_step);
        self.open.insert(request, OpenRequest { estimate, characters: 0, is_ending: false });
        Ok(Allowance { request, output_left: left })
    }

    fn limits_answers(&self, estimate: &Estimate) -> bool {
        self.limits.tokens.is_some() || self.limits.cost.is_some() && estimate.output_token_price > 0.0
    }

    fn left_for(&self, estimate: Estimate) -> Result<[Option<u64>; 2], LimitReached> {
        let is_step = !estimate.continues_step;
        if let Some(limit) = self.limits.steps.filter(|limit| is_step && self.steps >= *limit) {
            return Err(self.reached_steps(limit));
        }
        Ok([self.tokens_left(estimate)?, self.affordable(estimate)?])
    }

    /// Counts text of an answer in progress: text, reasoning and tool arguments.
    ///
    /// # Errors
    /// The run has very likely exceeded a limit; the answer must be cut off.
    pub fn add_output(&mut self, request: RequestId, text: &str) -> Result<(), LimitReached> {
        if let Some(open) = self.open.get_mut(&request) {
            if open.estimate.is_submitted() {
                return Ok(());
            }
            open.characters += text.chars().count() as u64;
        }
        let beyond = |settled: f64, open: f64, limit: f64| settled + open * CERTAINTY > limit;
        if let Some(limit) = self.limits.tokens
            && beyond(float(self.tokens), float(self.streamed_tokens()), float(limit))
        {
            return Err(self.reached_tokens(limit, 0));
        }
        match self.limits.cost {
            Some(limit) if beyond(self.cost, self.streamed_cost(), limit) => Err(self.reached_cost(limit, 0.0)),
            _ => Ok(()),
        }
    }

    pub fn blocking_limit(&self) -> Option<LimitReached> {
        self.tokens_left(Estimate::default()).err().or_else(|| self.affordable(Estimate::default()).err())
    }

    /// Whether there are requests whose answers have not started.
    pub fn has_unanswered_requests(&self) -> bool {
        self.open.values().any(|open| open.characters == 0 && !open.is_ending)
    }

    /// Marks that an answer has reached its tool calls, which come last.
    pub fn mark_ending(&mut self, request: RequestId) {
        if let Some(open) = self.open.get_mut(&request) {
            open.is_ending = true;
        }
    }

    /// Whether a usage that a limit depends on will be known soon, as an answer has reached its tool calls.
    pub fn expects_usage_soon(&self) -> bool {
        let counts = self.limits.tokens.is_some() || self.limits.cost.is_some();
        counts && self.open.values().any(|open| open.is_ending)
    }

    /// Adds the usage of a request. Counts that the provider did not report are estimated from the characters of the request and of
    /// the answer. `cost` computes the cost of the counts, which are returned.
    ///
    /// Exceeding a limit here is not an error, as this may have been the last step.
    pub fn settle(
        &mut self,
        request: RequestId,
        usage: &Usage,
        asked: u64,
        cost: impl Fn(&Usage) -> Option<f64>,
    ) -> Option<Usage> {
        let open = self.open.remove(&request)?;
        let input = usage.input_tokens.unwrap_or_else(|| tokens_of(asked));
        let output = usage.output_tokens.unwrap_or_else(|| tokens_of(open.characters));
        // An empty answer needs no estimate.
        let is_guessed = usage.output_tokens.is_none() && open.characters > 0;
        self.is_estimated |= usage.input_tokens.is_none() || is_guessed;
        let total = usage.total_tokens.or(Some(input.saturating_add(output)));
        let counts = Usage { input_tokens: Some(input), output_tokens: Some(output), total_tokens: total, ..*usage };
        self.tokens = self.tokens.saturating_add(input).saturating_add(output);
        let fallback = || open.estimate.input_cost + float(output) * open.estimate.output_token_price;
        let cost = cost(&counts).unwrap_or_else(fallback);
        self.cost += cost;
        self.learn(&open.estimate, input.saturating_add(output), cost);
        Some(counts)
    }

    /// Adds usage that was not reserved.
    pub fn add(&mut self, used: RunUsage) {
        self.steps = self.steps.saturating_add(used.steps);
        self.tokens = self.tokens.saturating_add(used.tokens);
        self.cost += used.cost;
    }

    /// The limit that is used up, if any.
    pub fn exhausted_limit(&self) -> Option<LimitReached> {
        let Limits { steps, tokens, cost, .. } = self.limits;
        let steps = steps.filter(|limit| self.steps >= *limit).map(|limit| self.reached_steps(limit));
        let tokens = || Some(self.reached_tokens(tokens.filter(|limit| self.tokens >= *limit)?, 0));
        let cost = || Some(self.reached_cost(cost.filter(|limit| self.cost >= *limit)?, 0.0));
        steps.or_else(tokens).or_else(cost)
    }

    /// Drops a request that will be made again, as if it had not been made.
    pub fn withdraw(&mut self, request: RequestId) {
        if let Some(open) = self.open.remove(&request) {
            self.steps = self.steps.saturating_sub(u64::from(!open.estimate.continues_step));
        }
    }

    /// Drops a request that used nothing; it still counts as a step.
    pub fn release(&mut self, request: RequestId) {
        self.open.remove(&request);
    }

    /// How many tokens are left for the answer of a request, after all open requests.
    fn tokens_left(&self, estimate: Estimate) -> Result<Option<u64>, LimitReached> {
        let Some(limit) = self.limits.tokens else { return Ok(None) };
        let expected = self.beyond(&estimate, 0.0).tokens.ceil();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let next = estimate.input_tokens + expected as u64;
        let used = self.used_tokens() + self.awaited(0.0).0;
        // What is expected exactly fits.
        match limit.saturating_sub(used) {
            left if left < next || (left == next && expected == 0.0) => Err(self.reached_tokens(limit, next)),
            left => Ok(Some(self.share_of(left - next, expected, &estimate))),
        }
    }

    /// How many tokens of an answer the remaining money buys; `None` if they are free.
    fn affordable(&self, estimate: Estimate) -> Result<Option<u64>, LimitReached> {
        let Some(limit) = self.limits.cost else { return Ok(None) };
        let (price, expected) = (estimate.output_token_price, self.beyond(&estimate, 0.0).outputs);
        let next = estimate.input_cost + expected * price;
        let left = limit - self.spent() - self.awaited(0.0).1 - estimate.input_cost;
        // Slightly more, so that rounding of binary fractions does not cost a token.
        let tokens = left / price + 1e-6;
        if left < 0.0 || price > left || (price > 0.0 && tokens < expected) {
            return Err(self.reached_cost(limit, next));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let left = (tokens - expected).floor() as u64;
        Ok((price > 0.0).then(|| self.share_of(left, expected, &estimate)))
    }

    /// What requests have used that do not wait for batches.
    fn streamed_tokens(&self) -> u64 {
        self.streamed().map(|open| open.estimate.input_tokens + open.output_tokens()).sum()
    }

    fn streamed_cost(&self) -> f64 {
        let cost = |open: &OpenRequest| {
            open.estimate.input_cost + float(open.output_tokens()) * open.estimate.output_token_price
        };
        self.streamed().map(cost).sum()
    }

    fn streamed(&self) -> impl Iterator<Item = &OpenRequest> {
        self.open.values().filter(|open| !self.awaits_batch(&open.estimate))
    }

    fn used_tokens(&self) -> u64 {
        self.tokens + self.streamed_tokens()
    }

    fn spent(&self) -> f64 {
        self.cost + self.streamed_cost()
    }

    /// Without those that wait for batches.
    fn used_steps(&self) -> u64 {
        let waiting = self.waiting().filter(|open| !open.estimate.continues_step).count();
        self.steps.saturating_sub(waiting as u64)
    }

    fn about(&self) -> &'static str {
        let is_open = |open: &OpenRequest| open.characters > 0 || open.estimate.input_tokens > 0;
        if self.is_estimated || self.streamed().any(is_open) { "about " } else { "" }
    }
}

impl OpenRequest {
    fn output_tokens(&self) -> u64 {
        self.characters / CHARACTERS_A_TOKEN
    }
}

pub fn tokens_of(characters: u64) -> u64 {
    characters.div_ceil(CHARACTERS_A_TOKEN)
}

#[cfg(test)]
mod tests;
