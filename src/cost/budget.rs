//! How much of a run is left: asked before each request, told what answers say, and what they used in the end.
//!
//! Whoever uses it keeps three rules. A request is made only with an [`Allowance`]. What an answer says is told as it comes,
//! and the answer is broken off when that is refused. Each allowance is settled, or released when its request came to nothing. The budget
//! itself is arithmetic: what a limit that is reached ends, others decide.

mod words;

use std::{collections::BTreeMap, time::Duration};

use super::{limits::Limits, used::Used};
use crate::chat::Usage;

/// Characters of a token, about, in most languages and tokenizers.
const CHARACTERS_A_TOKEN: u64 = 4;

/// An estimate ends an answer only when it is beyond what is left by this factor: many tokens have five characters, and an
/// answer that the provider itself keeps short enough must not be cut off.
const CERTAINTY: f64 = 0.8;

/// One request under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId(u64);

/// What a request takes before anything is answered, and a token of its answer costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Tokens of the request itself.
    pub input_tokens: u64,
    /// What these cost in US dollars.
    pub input_cost: f64,
    /// What a token of the answer costs in US dollars.
    pub output_token_price: f64,
}

/// A request may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// To be told of its answer by.
    pub request: RequestId,
    /// How many tokens the answer may have; `None` where nothing limits it.
    pub output_left: Option<u64>,
}

/// A limit is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Which one, how much was used, and what to set.
    pub message: String,
}

/// The limits of a run and what it has used of them, in all processes that had a part in it.
#[derive(Debug, Default)]
pub struct Budget {
    /// The smaller ones of those below, both counted from the beginning of the run.
    limits: Limits,
    /// Set for this process: what was used before does not count.
    typed: Limits,
    /// Set by the file, for the whole run.
    file: Limits,
    /// What was used before this process.
    before: Used,
    steps: u64,
    tokens: u64,
    cost: f64,
    open: BTreeMap<RequestId, Open>,
    /// Whether a part of the sums is estimated.
    is_estimated: bool,
}

/// A request that is not settled.
#[derive(Debug)]
struct Open {
    /// Held back for the request itself, until its provider says what it used.
    asked: Estimate,
    /// Of its answer, so far.
    characters: u64,
    /// It has called a tool, and what it used is about to be told.
    is_ending: bool,
}

impl Budget {
    /// Nothing is used yet. What is `typed` limits what this process uses.
    pub fn new(typed: Limits) -> Self {
        Budget { limits: typed, typed, ..Budget::default() }
    }

    /// Of a run that goes on: so much was used by earlier processes.
    pub fn after(before: Used, typed: Limits) -> Self {
        let Used { steps, tokens, cost, .. } = before;
        Budget { limits: typed.beyond(&before), typed, before, steps, tokens, cost, ..Budget::default() }
    }

    /// The limits, counted from the beginning of the run.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How much time is left to this process when it begins.
    pub fn time(&self) -> Option<Duration> {
        self.limits.time.map(|time| time.saturating_sub(self.before.time))
    }

    /// Sets the limits of the file, which count from the beginning of the run; what was used stays.
    pub fn set_file_limits(&mut self, file: Limits) {
        self.file = file;
        self.limits = self.typed.beyond(&self.before).and(file);
    }

    /// Asks for one request. What it takes itself is held back from others, and from its answer.
    ///
    /// # Errors
    /// A limit is reached, or would be by the request alone; it must not be made.
    pub fn ask(&mut self, asked: Estimate) -> Result<Allowance, Reached> {
        if let Some(limit) = self.limits.steps.filter(|limit| self.steps >= *limit) {
            return Err(self.reached_steps(limit));
        }
        let left = [self.tokens_left(asked.input_tokens)?, self.affordable(asked)?];
        let request = RequestId(self.steps);
        self.steps += 1;
        self.open.insert(request, Open { asked, characters: 0, is_ending: false });
        Ok(Allowance { request, output_left: left.into_iter().flatten().min() })
    }

    /// Counts text of an answer that is still coming: what it says, thinks and calls tools with.
    ///
    /// # Errors
    /// The run is beyond a limit, in all likelihood; the answer must not go on.
    pub fn heard(&mut self, request: RequestId, text: &str) -> Result<(), Reached> {
        if let Some(open) = self.open.get_mut(&request) {
            open.characters += text.chars().count() as u64;
        }
        let beyond = |settled: f64, open: f64, limit: f64| settled + open * CERTAINTY > limit;
        if let Some(limit) = self.limits.tokens
            && beyond(float(self.tokens), float(self.open_tokens()), float(limit))
        {
            return Err(self.reached_tokens(limit, 0));
        }
        match self.limits.cost {
            Some(limit) if beyond(self.cost, self.open_cost(), limit) => Err(self.reached_cost(limit, 0.0)),
            _ => Ok(()),
        }
    }

    /// Which limit leaves nothing to answer with, if one does.
    pub fn used_up(&self) -> Option<Reached> {
        self.tokens_left(0).err().or_else(|| self.affordable(Estimate::default()).err())
    }

    /// Whether there are requests of whose answers nothing has been heard.
    pub fn is_asking(&self) -> bool {
        self.open.values().any(|open| open.characters == 0 && !open.is_ending)
    }

    /// Notes that an answer has come to its tool calls, with which answers end.
    pub fn ends(&mut self, request: RequestId) {
        if let Some(open) = self.open.get_mut(&request) {
            open.is_ending = true;
        }
    }

    /// Whether more will be known in a moment: what is counted is limited, and an answer has come to its tool calls.
    pub fn is_about_to_know(&self) -> bool {
        let counts = self.limits.tokens.is_some() || self.limits.cost.is_some();
        counts && self.open.values().any(|open| open.is_ending)
    }

    /// Enters what a request used; what the provider did not say is estimated, from the `asked` characters of the request and
    /// those of the answer. `cost` is asked for the cost of the counts, which are returned when they are entered.
    ///
    /// A limit that is passed here ends nothing by itself: this may have been the last step.
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
        // Of an answer without a word nothing has to be guessed.
        let is_guessed = usage.output_tokens.is_none() && open.characters > 0;
        self.is_estimated |= usage.input_tokens.is_none() || is_guessed;
        let total = usage.total_tokens.or(Some(input.saturating_add(output)));
        let counts = Usage { input_tokens: Some(input), output_tokens: Some(output), total_tokens: total, ..*usage };
        self.tokens = self.tokens.saturating_add(input).saturating_add(output);
        let fallback = || open.asked.input_cost + float(output) * open.asked.output_token_price;
        self.cost += cost(&counts).unwrap_or_else(fallback);
        Some(counts)
    }

    /// Enters what was used without asking.
    pub fn add(&mut self, used: Used) {
        self.steps = self.steps.saturating_add(used.steps);
        self.tokens = self.tokens.saturating_add(used.tokens);
        self.cost += used.cost;
    }

    /// Which limit is used up to the last, if one is.
    pub fn is_full(&self) -> Option<Reached> {
        let Limits { steps, tokens, cost, .. } = self.limits;
        let steps = steps.filter(|limit| self.steps >= *limit).map(|limit| self.reached_steps(limit));
        let tokens = || Some(self.reached_tokens(tokens.filter(|limit| self.tokens >= *limit)?, 0));
        let cost = || Some(self.reached_cost(cost.filter(|limit| self.cost >= *limit)?, 0.0));
        steps.or_else(tokens).or_else(cost)
    }

    /// Forgets a request that used nothing, but as a step.
    pub fn release(&mut self, request: RequestId) {
        self.open.remove(&request);
    }

    /// How many tokens a request of so many leaves for its answer, beside what is still being answered.
    fn tokens_left(&self, input: u64) -> Result<Option<u64>, Reached> {
        let Some(limit) = self.limits.tokens else { return Ok(None) };
        match limit.saturating_sub(self.tokens + self.open_tokens()).saturating_sub(input) {
            0 => Err(self.reached_tokens(limit, input)),
            left => Ok(Some(left)),
        }
    }

    /// How many tokens of an answer the money left buys; what is free is not kept back.
    fn affordable(&self, asked: Estimate) -> Result<Option<u64>, Reached> {
        let Some(limit) = self.limits.cost else { return Ok(None) };
        let price = asked.output_token_price;
        let left = limit - self.cost - self.open_cost() - asked.input_cost;
        if left < 0.0 || price > left {
            return Err(self.reached_cost(limit, asked.input_cost));
        }
        // A hair more, so that what was paid exactly is not short of a token for the sake of binary fractions.
        let tokens = (left / price + 1e-6).floor();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok((price > 0.0).then_some(tokens as u64))
    }

    fn open_tokens(&self) -> u64 {
        self.open.values().map(|open| open.asked.input_tokens + open.heard_tokens()).sum()
    }

    fn open_cost(&self) -> f64 {
        let cost = |open: &Open| open.asked.input_cost + float(open.heard_tokens()) * open.asked.output_token_price;
        self.open.values().map(cost).sum()
    }

    fn about(&self) -> &'static str {
        let is_open = |open: &Open| open.characters > 0 || open.asked.input_tokens > 0;
        if self.is_estimated || self.open.values().any(is_open) { "about " } else { "" }
    }
}

impl Open {
    fn heard_tokens(&self) -> u64 {
        self.characters / CHARACTERS_A_TOKEN
    }
}

/// How many tokens a text of so many characters has, about.
pub fn tokens_of(characters: u64) -> u64 {
    characters.div_ceil(CHARACTERS_A_TOKEN)
}

/// No run counts as far as a float is wrong.
#[allow(clippy::cast_precision_loss)]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
