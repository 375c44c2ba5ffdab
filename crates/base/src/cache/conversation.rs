//! The requests of one conversation, each compared with the one before.

use std::rc::Rc;

use super::{
    change::{Change, change},
    rules::{CacheCertainty, CacheKind, CacheRules},
    sent_prompt::{Position, SentPrompt},
};
use crate::chat::{CacheBreak, CacheBreakKind, ContentPart, Message, Role, StepCache, Usage};

/// Remembers as much of a conversation as the comparison needs.
#[derive(Clone, Debug, Default)]
pub struct CacheConversation {
    /// The first requests of the last two steps.
    before: Option<SentPrompt>,
    before_that: Option<SentPrompt>,
    /// The first request of the current step, with the counts of all of its requests.
    current: Option<(SentPrompt, Option<StepCache>)>,
    has_read: bool,
    /// Whether the provider has stated what it read.
    has_count: bool,
    /// Whether the step before belongs to another process, after which a cache may have expired.
    is_resumed: bool,
}

impl CacheConversation {
    /// A conversation whose last step belongs to another process.
    pub fn resumed(before: Option<SentPrompt>) -> Self {
        CacheConversation { is_resumed: before.is_some(), before, ..CacheConversation::default() }
    }

    /// Adds an answered request of the current step, which has several if the provider pauses. `sent` has its length, if
    /// that was counted. `cost` is that of an answer with this usage.
    pub fn add(&mut self, sent: SentPrompt, usage: &Usage, rules: &CacheRules, cost: impl Fn(&Usage) -> Option<f64>) {
        let earlier = self.current.as_ref().map(|(first, _)| first).or(self.before.as_ref());
        if earlier.is_some_and(|earlier| earlier.model != sent.model) {
            // What another model's server reports says nothing of this one.
            (self.has_read, self.has_count) = (false, false);
        }
        self.has_read |= usage.cached_input_tokens.is_some_and(|read| read > 0);
        let is_reported = usage.has_cache_count || self.has_read;
        self.has_count |= is_reported;
        let is_unknown = rules.certainty == CacheCertainty::Unknown && !self.has_count;
        let answered = Answered {
            sent: &sent,
            usage,
            rules: if is_unknown { &CacheRules::NONE } else { rules },
            reported: usage.cached_input_tokens.filter(|_| is_reported),
            may_blame: is_reported
                && (rules.certainty == CacheCertainty::Promised || self.has_read)
                && !self.is_resumed,
        };
        let cache = match (&self.current, &self.before) {
            // The request that was paused is the beginning of the one that continues it.
            (Some((first, _)), Some(_)) => Some(answered.cache(first, None, cost)),
            (None, Some(before)) => Some(answered.cache(before, self.before_that.as_ref(), cost)),
            (_, None) => None,
        };
        match (&mut self.current, cache) {
            (Some((_, sum)), Some(cache)) => sum.get_or_insert_default().add(&cache),
            (Some(_), None) => {}
            (None, cache) => self.current = Some((sent, cache)),
        }
    }

    /// Ends the current step. `None` for the first one of the conversation.
    pub fn end_step(&mut self) -> Option<StepCache> {
        let (sent, cache) = self.current.take()?;
        self.before_that = self.before.replace(sent);
        self.is_resumed = false;
        cache
    }
}

struct Answered<'a> {
    sent: &'a SentPrompt,
    usage: &'a Usage,
    rules: &'a CacheRules,
    /// What was read from the cache; `None` if that is not known.
    reported: Option<u64>,
    /// Whether the provider may be the reason if less is read than expected.
    may_blame: bool,
}

/// What could be read of a request.
#[derive(Clone, Copy)]
struct Expected {
    tokens: u64,
    /// How much less may be read before something is wrong.
    tolerance: u64,
}

impl Answered<'_> {
    fn cache(
        &self,
        before: &SentPrompt,
        before_that: Option<&SentPrompt>,
        cost: impl Fn(&Usage) -> Option<f64>,
    ) -> StepCache {
        let read = self.usage.cached_input_tokens.unwrap_or(0);
        let (mut before, mut expected) = (before, self.expected(before));
        let mut broken_by = None;
        // Steps that read all there is are not compared.
        if expected.tokens > read {
            let mut changed = change(before, self.sent, self.rules);
            // A change of one step only ends as the request goes on from the step before that one.
            if let (Some(_), Some(earlier)) = (&changed, before_that)
                && change(earlier, self.sent, self.rules).is_none()
            {
                (before, expected, changed) = (earlier, self.expected(earlier), None);
            }
            broken_by = self.broken_by(before, expected, changed, cost);
        }
        let written = self.usage.cache_write_tokens.unwrap_or(0);
        StepCache { read, written, expected: expected.tokens, broken_by }
    }

    fn expected(&self, before: &SentPrompt) -> Expected {
        let rules = self.rules;
        let (whole, is_counted) = self.cached(before, Position::End);
        // A shorter request can read no more than it has.
        let limit = self.sent.input_tokens.unwrap_or(u64::MAX);
        let tokens = rules.readable(whole.min(limit));
        let of_estimate = if is_counted { 0 } else { tokens / 8 };
        let tolerance = rules.step.max(tokens * rules.tolerance / 100).max(of_estimate).max(MIN_TOLERANCE);
        Expected { tokens, tolerance }
    }

    /// The tokens of the request before this position that the cache has afterwards, and whether the provider has counted
    /// them.
    fn cached(&self, before: &SentPrompt, position: Position) -> (u64, bool) {
        let last = Position::Message(before.messages.history_length());
        let end = match &self.rules.kind {
            CacheKind::None => None,
            // The messages after the history are those of one step only.
            CacheKind::Automatic => Some(position.min(last)),
            CacheKind::Marks(marks) => before.last_mark(marks, position.min(last)),
        };
        match end {
            None => (0, true),
            Some(end) if end == last && before.messages.extra().is_empty() => {
                (before.tokens(self.sent), before.input_tokens.is_some())
            }
            Some(end) => (before.tokens_before(end, self.sent), false),
        }
    }

    fn broken_by(
        &self,
        before: &SentPrompt,
        expected: Expected,
        change: Option<Change>,
        cost: impl Fn(&Usage) -> Option<f64>,
    ) -> Option<CacheBreak> {
        let position = change.as_ref().map_or(Position::End, |change| change.position);
        let unchanged = || self.rules.readable(self.cached(before, position).0);
        let tokens = expected.tokens.saturating_sub(self.reported.unwrap_or_else(unchanged));
        let least = match change {
            // Lengths that are compared with a count differ a little.
            Some(_) if position != Position::End => self.reported.map_or(0, |_| MIN_TOLERANCE),
            // The length of a request that was not counted is too uncertain to blame the provider.
            _ if self.may_blame && (change.is_some() || before.input_tokens.is_some()) => expected.tolerance,
            _ => return None,
        };
        if tokens <= least || (change.is_none() && self.leaves_out_thoughts(before)) {
            return None;
        }
        let (kind, name) = change.map_or((CacheBreakKind::Provider, None), |change| (change.kind, change.name));
        Some(CacheBreak { kind, name, tokens, cost: extra_cost(self.usage, tokens, cost) })
    }
}

impl Answered<'_> {
    /// Whether a new message of the user lets the provider leave out what the model thought before.
    fn leaves_out_thoughts(&self, before: &SentPrompt) -> bool {
        let has = |message: &Message, is_it: fn(&ContentPart) -> bool| message.content_parts().iter().any(is_it);
        let new = self.sent.messages.history_from(before.messages.history_length());
        let is_asked = new.iter().any(|message| {
            message.role == Role::User && has(message, |part| !matches!(part, ContentPart::ToolResult { .. }))
        });
        let is_thought = |message: &Rc<Message>| has(message, |part| matches!(part, ContentPart::Reasoning { .. }));
        is_asked && before.messages.history_from(0).iter().any(is_thought)
    }
}

/// Caches keep blocks of up to 128 tokens, and counts differ by the few tokens that introduce the answer.
const MIN_TOLERANCE: u64 = 160;

/// What the answer cost more than it would if these tokens had been read from the cache.
fn extra_cost(usage: &Usage, tokens: u64, cost: impl Fn(&Usage) -> Option<f64>) -> Option<f64> {
    let read = usage.cached_input_tokens.unwrap_or(0) + tokens;
    let written = usage.cache_write_tokens.unwrap_or(0);
    let left = written.saturating_sub(tokens);
    // Of writes with several lifetimes, each has its share in the tokens.
    let long = usage.long_cache_write_tokens.map(|long| long * left / written.max(1));
    // A search without a price makes the whole cost unknown, but not the difference.
    let usage = &Usage { web_searches: None, has_uncounted_searches: false, ..*usage };
    let reading = Usage {
        cached_input_tokens: Some(read),
        cache_write_tokens: usage.cache_write_tokens.map(|_| left),
        long_cache_write_tokens: long,
        ..*usage
    };
    let difference = (cost(usage)? - cost(&reading)?).max(0.0);
    // Sums of floats have a tail of digits that means nothing.
    Some((difference * 1e12).round() / 1e12)
}
