//! How much of a run is left: asked before each request, told what answers say, and what they used in the end.
//!
//! Whoever uses it keeps three rules. A request is made only with an [`Allowance`]. What an answer says is told as it comes,
//! and the answer is broken off when that is refused. Each allowance is settled, also when its request failed. The budget
//! itself is arithmetic: what a limit that is reached ends, others decide.

use std::{collections::BTreeMap, time::Duration};

use super::{
    amount::dollars,
    limits::{LimitKind, Limits},
};
use crate::chat::Usage;

/// Characters of a token, about, in most languages and tokenizers.
const CHARACTERS_A_TOKEN: u64 = 4;

/// An estimate ends an answer only when it is beyond what is left by this factor: many tokens have five characters, and an
/// answer that the provider itself keeps short enough must not be cut off.
const CERTAINTY: f64 = 0.8;

/// One request under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId(u64);

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

/// The limits of a run and what it has used of them.
#[derive(Debug, Default)]
pub struct Budget {
    limits: Limits,
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
    /// Of its answer, so far.
    characters: u64,
    output_token_price: f64,
    /// It has called a tool, and what it used is about to be told.
    is_ending: bool,
}

impl Budget {
    /// Nothing is used yet.
    pub fn new(limits: Limits) -> Self {
        Budget { limits, ..Budget::default() }
    }

    /// The limits it was made with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets other limits; what was used stays.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Asks for one request with that price for each token of its answer.
    ///
    /// # Errors
    /// A limit is reached; the request must not be made.
    pub fn ask(&mut self, output_token_price: f64) -> Result<Allowance, Reached> {
        if let Some(limit) = self.limits.steps.filter(|limit| self.steps >= *limit) {
            return Err(self.reached_steps(limit));
        }
        let left = [self.tokens_left()?, self.affordable(output_token_price)?];
        let request = RequestId(self.steps);
        self.steps += 1;
        self.open.insert(request, Open { characters: 0, output_token_price, is_ending: false });
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
            return Err(self.reached_tokens(limit));
        }
        match self.limits.cost {
            Some(limit) if beyond(self.cost, self.open_cost(), limit) => Err(self.reached_cost(limit)),
            _ => Ok(()),
        }
    }

    /// How many tokens of an answer have been heard, about.
    pub fn heard_tokens(&self, request: RequestId) -> u64 {
        self.open.get(&request).map_or(0, |open| open.characters / CHARACTERS_A_TOKEN)
    }

    /// Which limit leaves nothing to answer with, if one does.
    pub fn used_up(&self) -> Option<Reached> {
        self.tokens_left().err().or_else(|| self.affordable(0.0).err())
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
    /// those of the answer. `cost` is asked for the cost of the counts.
    ///
    /// A limit that is passed here ends nothing by itself: this may have been the last step.
    pub fn settle(&mut self, request: RequestId, usage: &Usage, asked: u64, cost: impl Fn(&Usage) -> Option<f64>) {
        let Some(open) = self.open.remove(&request) else { return };
        let input = usage.input_tokens.unwrap_or_else(|| estimate(asked));
        let output = usage.output_tokens.unwrap_or_else(|| estimate(open.characters));
        // Of an answer without a word nothing has to be guessed.
        let is_guessed = usage.output_tokens.is_none() && open.characters > 0;
        self.is_estimated |= usage.input_tokens.is_none() || is_guessed;
        let counts = Usage { input_tokens: Some(input), output_tokens: Some(output), ..*usage };
        self.tokens = self.tokens.saturating_add(input).saturating_add(output);
        self.cost += cost(&counts).unwrap_or_else(|| float(output) * open.output_token_price);
    }

    /// The limit on time is reached.
    pub fn time_is_up(&self, limit: Duration) -> Reached {
        let used = format!("{} and {} were used until then", counted(self.steps, "step"), self.used_tokens());
        reached(LimitKind::Time, "time", &in_words(limit), &used)
    }

    /// How many tokens are left, also for what is still being answered.
    fn tokens_left(&self) -> Result<Option<u64>, Reached> {
        let Some(limit) = self.limits.tokens else { return Ok(None) };
        match limit.saturating_sub(self.tokens + self.open_tokens()) {
            0 => Err(self.reached_tokens(limit)),
            left => Ok(Some(left)),
        }
    }

    /// How many tokens the money left buys; what is free is not kept back.
    fn affordable(&self, price: f64) -> Result<Option<u64>, Reached> {
        let Some(limit) = self.limits.cost else { return Ok(None) };
        let left = limit - self.cost - self.open_cost();
        if left < 0.0 || price > left {
            return Err(self.reached_cost(limit));
        }
        // A hair more, so that what was paid exactly is not short of a token for the sake of binary fractions.
        let tokens = (left / price + 1e-6).floor();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok((price > 0.0).then_some(tokens as u64))
    }

    fn open_tokens(&self) -> u64 {
        self.open.values().map(|open| open.characters / CHARACTERS_A_TOKEN).sum()
    }

    fn open_cost(&self) -> f64 {
        self.open.values().map(|open| float(open.characters / CHARACTERS_A_TOKEN) * open.output_token_price).sum()
    }

    fn reached_steps(&self, limit: u64) -> Reached {
        let used = format!("{} {} used", counted(self.steps, "step"), if self.steps == 1 { "was" } else { "were" });
        reached(LimitKind::Steps, "step", &counted(limit, "step"), &used)
    }

    fn reached_tokens(&self, limit: u64) -> Reached {
        let used = format!("{} were used in {}", self.used_tokens(), counted(self.steps, "step"));
        reached(LimitKind::Tokens, "token", &counted(limit, "token"), &used)
    }

    fn reached_cost(&self, limit: f64) -> Reached {
        let spent = dollars(self.cost + self.open_cost());
        let used = format!("{}{spent} was spent in {}", self.about(), counted(self.steps, "step"));
        reached(LimitKind::Cost, "cost", &dollars(limit), &used)
    }

    fn used_tokens(&self) -> String {
        format!("{}{}", self.about(), counted(self.tokens + self.open_tokens(), "token"))
    }

    fn about(&self) -> &'static str {
        if self.is_estimated || self.open.values().any(|open| open.characters > 0) { "about " } else { "" }
    }
}

fn reached(kind: LimitKind, what: &str, limit: &str, used: &str) -> Reached {
    let (option, key) = kind.settings();
    let message = format!(
        "The run was ended at its {what} limit of {limit}: {used}. Set {option} or {key} higher to let it go further."
    );
    Reached { message }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn estimate(characters: u64) -> u64 {
    characters.div_ceil(CHARACTERS_A_TOKEN)
}

/// No run counts as far as a float is wrong.
#[allow(clippy::cast_precision_loss)]
fn float(count: u64) -> f64 {
    count as f64
}

/// A limit on time as it may have been set.
fn in_words(limit: Duration) -> String {
    let milliseconds = limit.as_millis();
    match (milliseconds % 1000, milliseconds / 1000) {
        (0, seconds) if seconds % 60 != 0 || seconds == 0 => format!("{seconds} s"),
        (0, seconds) => format!("{} min", seconds / 60),
        _ if milliseconds < 1000 => format!("{milliseconds} ms"),
        _ => format!("{} s", limit.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: f64 = 0.0;

    fn budget(limits: Limits) -> Budget {
        Budget::new(limits)
    }

    fn tokens(tokens: u64) -> Budget {
        budget(Limits { tokens: Some(tokens), ..Limits::default() })
    }

    /// A request that used so much and cost 10 dollars a million of input, 20 of output.
    fn step(budget: &mut Budget, input: u64, output: u64) -> Result<Option<u64>, String> {
        let allowance = budget.ask(20e-6).map_err(|reached| reached.message)?;
        let cost = |usage: &Usage| {
            Some(float(usage.input_tokens.unwrap()) * 10e-6 + float(usage.output_tokens.unwrap()) * 20e-6)
        };
        budget.settle(allowance.request, &Usage::new(Some(input), Some(output)), 0, cost);
        Ok(allowance.output_left)
    }

    #[test]
    fn the_step_after_the_last_is_refused() {
        let mut budget = budget(Limits { steps: Some(2), ..Limits::default() });
        assert_eq!((step(&mut budget, 1, 1), step(&mut budget, 1, 1)), (Ok(None), Ok(None)));
        let message = step(&mut budget, 1, 1).unwrap_err();
        let expected = "The run was ended at its step limit of 2 steps: 2 steps were used. Set --max-steps or \
                        config.limits.steps higher to let it go further.";
        assert_eq!(message, expected);
    }

    #[test]
    fn answers_are_cut_to_the_tokens_that_are_left() {
        let mut budget = tokens(1000);
        assert_eq!(step(&mut budget, 500, 100), Ok(Some(1000)));
        assert_eq!(step(&mut budget, 380, 15), Ok(Some(400)));
        assert_eq!(step(&mut budget, 1, 1), Ok(Some(5)));
        assert_eq!(step(&mut budget, 9, 9), Ok(Some(3)));
        let message = step(&mut budget, 1, 1).unwrap_err();
        assert!(message.contains("token limit of 1000 tokens: 1015 tokens were used in 4 steps"), "{message}");
    }

    #[test]
    fn answers_are_cut_to_what_the_money_buys() {
        let mut budget = budget(Limits { cost: Some(0.01), ..Limits::default() });
        assert_eq!(step(&mut budget, 500, 100), Ok(Some(500)));
        assert_eq!(step(&mut budget, 100, 100), Ok(Some(150)));
        let message = step(&mut budget, 1, 1).unwrap_err();
        assert!(message.contains("cost limit of $0.01: $0.01 was spent in 2 steps. Set --max-cost or"), "{message}");
        // What costs nothing may go on.
        assert_eq!(budget.ask(FREE).unwrap().output_left, None);
    }

    #[test]
    fn text_counts_while_it_comes() {
        let mut budget = tokens(100);
        let request = budget.ask(FREE).unwrap().request;
        assert_eq!(budget.heard(request, &"word".repeat(100)), Ok(()));
        // The next one does not get what this one takes.
        let message = budget.ask(FREE).unwrap_err().message;
        assert!(message.contains("about 100 tokens were used in 1 step."), "{message}");
        assert!(budget.heard(request, &"word".repeat(30)).is_err());
        // In truth it was less.
        budget.settle(request, &Usage::new(Some(5), Some(80)), 0, |_| None);
        assert_eq!(budget.ask(FREE).unwrap().output_left, Some(15));
    }

    #[test]
    fn requests_at_the_same_time_share_what_is_left() {
        let mut budget = tokens(1000);
        let first = budget.ask(FREE).unwrap().request;
        let second = budget.ask(FREE).unwrap().request;
        assert_eq!(budget.heard(first, &"word".repeat(600)), Ok(()));
        assert_eq!(budget.ask(FREE).unwrap().output_left, Some(400));
        budget.settle(first, &Usage::new(Some(990), Some(5)), 0, |_| None);
        assert!(budget.heard(second, &"word".repeat(50)).is_err());
    }

    #[test]
    fn what_no_provider_counts_is_estimated() {
        let mut budget = tokens(1000);
        let request = budget.ask(FREE).unwrap().request;
        budget.heard(request, &"word".repeat(300)).unwrap();
        budget.settle(request, &Usage::default(), 400, |_| None);
        assert_eq!(budget.ask(FREE).unwrap().output_left, Some(600));
        let reached = budget.time_is_up(Duration::from_millis(1500));
        let words = "time limit of 1.5 s: 2 steps and about 400 tokens were used until then. Set --timeout or";
        assert!(reached.message.contains(words), "{}", reached.message);
    }

    #[test]
    fn spans_are_said() {
        let said =
            [500, 2_000, 90_000, 120_000, 1_250].map(|milliseconds| in_words(Duration::from_millis(milliseconds)));
        assert_eq!(said, ["500 ms", "2 s", "90 s", "2 min", "1.25 s"]);
    }
}
