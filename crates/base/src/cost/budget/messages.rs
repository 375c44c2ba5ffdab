//! Messages for reached limits: which one, how much was used, and what to set. In a resumed run, limits of the command line count
//! from the resumption and limits of the file from the beginning; the message says which.

use std::time::Duration;

use super::{Budget, LimitReached, answers::float};
use crate::cost::{
    limits::{LimitKind, Limits},
    rates::dollars,
    run_usage::RunUsage,
};

/// From how many steps on a run without limits is reported.
const MANY_STEPS: u64 = 100;

/// From when the reached limit counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountedFrom {
    Start,
    /// The same for a run without a file.
    Command,
    /// A limit of the command line, for this process.
    Resumed,
    /// A limit of the file, which includes earlier processes.
    Before,
}

impl Budget {
    pub(super) fn reached_steps(&self, limit: u64) -> LimitReached {
        let (since, origin) = self.since(LimitKind::Steps);
        let steps = self.steps - origin.steps;
        let used = format!("{} {} used", plural(steps, "step"), if steps == 1 { "was" } else { "were" });
        let before = self.before.steps.to_string();
        reached(LimitKind::Steps, since, &plural(limit - origin.steps, "step"), &used, &before)
    }

    /// `next` is the token count of a request that would exceed the limit, or 0.
    pub(super) fn reached_tokens(&self, limit: u64, next: u64) -> LimitReached {
        let (since, origin) = self.since(LimitKind::Tokens);
        let mut used = format!("{} were used in {}", self.shown_tokens(&origin), self.shown_steps(&origin));
        used += &match self.requests_more(next > 0) {
            0 if next > 0 && self.used_tokens() < limit => {
                format!(", and the next request has about {}", plural(next, "token"))
            }
            0 => String::new(),
            more => format!(
                ", and {} more would take about {}",
                plural(more, "request"),
                plural(next + self.awaited(0.0).0, "token")
            ),
        };
        let before = format!("{} in {}", self.before.tokens, plural(self.before.steps, "step"));
        let reached = reached(LimitKind::Tokens, since, &plural(limit - origin.tokens, "token"), &used, &before);
        LimitReached { next: float(next), ..reached }
    }

    /// `next` is the input cost of a request that would exceed the limit, or 0.
    pub(super) fn reached_cost(&self, limit: f64, next: f64) -> LimitReached {
        let (since, origin) = self.since(LimitKind::Cost);
        let spent = self.spent();
        let steps = self.shown_steps(&origin);
        let mut used = format!("{}{} was spent in {steps}", self.about(), dollars(spent - origin.cost));
        used += &match self.requests_more(next > 0.0) {
            0 if next > 0.0 && spent < limit => format!(", and the next request takes about {}", dollars(next)),
            0 => String::new(),
            more => format!(
                ", and {} more would take about {}",
                plural(more, "request"),
                dollars(next + self.awaited(0.0).1)
            ),
        };
        let before = format!("{} in {}", dollars(self.before.cost), plural(self.before.steps, "step"));
        LimitReached { next, ..reached(LimitKind::Cost, since, &dollars(limit - origin.cost), &used, &before) }
    }

    pub fn time_limit_reached(&self) -> LimitReached {
        let (since, origin) = self.since(LimitKind::Time);
        let limit = self.limits.time.unwrap_or_default().saturating_sub(origin.time);
        let suffix = if since == CountedFrom::Resumed { "" } else { " until then" };
        let used = format!("{} and {} were used{suffix}", self.shown_steps(&origin), self.shown_tokens(&origin));
        let before = format!("{} of the time", about(self.before.time));
        reached(LimitKind::Time, since, &format_limit(limit), &used, &before)
    }

    /// What a run without limits has used after many steps, and how to limit it.
    /// `None` for a short run, and for one with a limit on steps, tokens or cost.
    pub fn long_run_notice(&self) -> Option<String> {
        let Limits { steps, tokens, cost, .. } = self.limits;
        if self.steps < MANY_STEPS || steps.is_some() || tokens.is_some() || cost.is_some() {
            return None;
        }
        // The cost of a model without a known price is not counted.
        let spent = if self.cost > 0.0 { format!(" and {}", dollars(self.cost)) } else { String::new() };
        let used = self.shown_tokens(&RunUsage::default());
        Some(format!(
            "the run has used {} steps, {used}{spent}, and has no limit on steps, tokens or cost; --max-steps, --max-cost or \
             config.limits set one",
            self.steps
        ))
    }

    /// From when the limit counts, and the usage before that.
    fn since(&self, kind: LimitKind) -> (CountedFrom, RunUsage) {
        if self.is_one_run || self.before.is_nothing() {
            let start = if self.has_no_file { CountedFrom::Command } else { CountedFrom::Start };
            return (start, RunUsage::default());
        }
        let (typed, limits) = (self.typed.beyond(&self.before), &self.limits);
        let is_typed = match kind {
            LimitKind::Steps => typed.steps == limits.steps,
            LimitKind::Tokens => typed.tokens == limits.tokens,
            LimitKind::Cost => typed.cost == limits.cost,
            LimitKind::Time => typed.time == limits.time,
        };
        if is_typed { (CountedFrom::Resumed, self.before) } else { (CountedFrom::Before, RunUsage::default()) }
    }

    /// The same limit, with what is used by now.
    pub fn reached_now(&self, reached: &LimitReached) -> LimitReached {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let next_tokens = reached.next as u64;
        match reached.kind {
            LimitKind::Steps => self.reached_steps(self.limits.steps.unwrap_or_default()),
            LimitKind::Tokens => self.reached_tokens(self.limits.tokens.unwrap_or_default(), next_tokens),
            LimitKind::Cost => self.reached_cost(self.limits.cost.unwrap_or_default(), reached.next),
            LimitKind::Time => self.time_limit_reached(),
        }
    }

    /// A sentence about the limit on cost or tokens that was passed, although nothing was refused.
    pub fn passed_limit(&self) -> Option<String> {
        let Limits { tokens, cost, .. } = self.limits;
        let used = |used: String| format!("{used} in {}", plural(self.used_steps(), "step"));
        let passed = |kind: LimitKind, limit: String, used: String| {
            let kind = kind.name();
            format!("the {kind} limit of {limit} was passed: answers of batches took more than was expected, {used}")
        };
        let of_cost = cost.filter(|limit| self.cost > *limit);
        let of_tokens = || tokens.filter(|limit| self.tokens > *limit);
        let of_tokens =
            || Some(passed(LimitKind::Tokens, plural(of_tokens()?, "token"), used(plural(self.tokens, "token"))));
        of_cost.map(|limit| passed(LimitKind::Cost, dollars(limit), used(dollars(self.cost)))).or_else(of_tokens)
    }

    /// How many requests wait for batches, or would.
    fn requests_more(&self, has_next: bool) -> u64 {
        let waiting = self.waiting().count() as u64;
        if waiting > 0 { waiting + u64::from(has_next) } else { 0 }
    }

    fn shown_steps(&self, origin: &RunUsage) -> String {
        plural(self.used_steps().saturating_sub(origin.steps), "step")
    }

    fn shown_tokens(&self, origin: &RunUsage) -> String {
        format!("{}{}", self.about(), plural(self.used_tokens() - origin.tokens, "token"))
    }
}

fn reached(kind: LimitKind, since: CountedFrom, limit: &str, used: &str, before: &str) -> LimitReached {
    let what = kind.name();
    let (option, key) = kind.settings();
    let (count, setting) = match since {
        CountedFrom::Start => (String::new(), format!("{option} or {key}")),
        CountedFrom::Command => (String::new(), option.to_owned()),
        CountedFrom::Resumed => (" since the run was resumed".to_owned(), option.to_owned()),
        CountedFrom::Before => (format!(" ({before} before the run was resumed)"), key.to_owned()),
    };
    let message = format!(
        "The run was ended at its {what} limit of {limit}: {used}{count}. Set {setting} higher to let it go further."
    );
    LimitReached { kind, next: 0.0, message }
}

fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn about(time: Duration) -> String {
    let unit = if time < Duration::from_secs(10) { 100 } else { 1000 };
    format_limit(Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX) / unit * unit))
}

pub(super) fn format_limit(limit: Duration) -> String {
    let milliseconds = limit.as_millis();
    match (milliseconds % 1000, milliseconds / 1000) {
        (0, seconds) if seconds % 60 != 0 || seconds == 0 => format!("{seconds} s"),
        (0, seconds) => format!("{} min", seconds / 60),
        _ if milliseconds < 1000 => format!("{milliseconds} ms"),
        _ => format!("{} s", limit.as_secs_f64()),
    }
}
