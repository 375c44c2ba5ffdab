//! What is said when a limit is reached: which one, how much was used, and what to set. In a run that goes on, what was
//! typed counts from there and what the file says from the beginning, and the words say which it was.

use std::time::Duration;

use super::{Budget, Reached};
use crate::cost::{amount::dollars, limits::LimitKind, used::Used};

/// From where the limit counts that was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Since {
    /// Nothing was used before this process.
    Start,
    /// It was typed, and limits what this process uses.
    Resumed,
    /// It is the file's, and what was used before counts.
    Before,
}

impl Budget {
    pub(super) fn reached_steps(&self, limit: u64) -> Reached {
        let (since, origin) = self.since(LimitKind::Steps);
        let steps = self.steps - origin.steps;
        let used = format!("{} {} used", counted(steps, "step"), if steps == 1 { "was" } else { "were" });
        let before = self.before.steps.to_string();
        reached(LimitKind::Steps, since, &counted(limit - origin.steps, "step"), &used, &before)
    }

    /// `next` tokens are what a request asked for, if it is that which is too much.
    pub(super) fn reached_tokens(&self, limit: u64, next: u64) -> Reached {
        let (since, origin) = self.since(LimitKind::Tokens);
        let used = self.used_tokens(&origin);
        let mut used = format!("{used} were used in {}", counted(self.steps - origin.steps, "step"));
        if next > 0 && self.tokens + self.open_tokens() < limit {
            used += &format!(", and the next request has about {}", counted(next, "token"));
        }
        let before = format!("{} in {}", self.before.tokens, counted(self.before.steps, "step"));
        reached(LimitKind::Tokens, since, &counted(limit - origin.tokens, "token"), &used, &before)
    }

    /// `next` is what the input of a request costs, if it is that which is too much.
    pub(super) fn reached_cost(&self, limit: f64, next: f64) -> Reached {
        let (since, origin) = self.since(LimitKind::Cost);
        let spent = self.cost + self.open_cost();
        let steps = counted(self.steps - origin.steps, "step");
        let mut used = format!("{}{} was spent in {steps}", self.about(), dollars(spent - origin.cost));
        if next > 0.0 && spent < limit {
            used += &format!(", and the next request takes about {}", dollars(next));
        }
        let before = format!("{} in {}", dollars(self.before.cost), counted(self.before.steps, "step"));
        reached(LimitKind::Cost, since, &dollars(limit - origin.cost), &used, &before)
    }

    /// The limit on time is reached.
    pub fn time_is_up(&self) -> Reached {
        let (since, origin) = self.since(LimitKind::Time);
        let limit = self.limits.time.unwrap_or_default().saturating_sub(origin.time);
        let steps = counted(self.steps - origin.steps, "step");
        let then = if since == Since::Resumed { "" } else { " until then" };
        let used = format!("{steps} and {} were used{then}", self.used_tokens(&origin));
        let before = format!("{} of the time", about(self.before.time));
        reached(LimitKind::Time, since, &in_words(limit), &used, &before)
    }

    /// From where the limit counts, and what it does not count.
    fn since(&self, kind: LimitKind) -> (Since, Used) {
        if self.before.is_nothing() {
            return (Since::Start, Used::default());
        }
        let (typed, limits) = (self.typed.beyond(&self.before), &self.limits);
        let is_typed = match kind {
            LimitKind::Steps => typed.steps == limits.steps,
            LimitKind::Tokens => typed.tokens == limits.tokens,
            LimitKind::Cost => typed.cost == limits.cost,
            LimitKind::Time => typed.time == limits.time,
        };
        if is_typed { (Since::Resumed, self.before) } else { (Since::Before, Used::default()) }
    }

    fn used_tokens(&self, origin: &Used) -> String {
        format!("{}{}", self.about(), counted(self.tokens + self.open_tokens() - origin.tokens, "token"))
    }
}

fn reached(kind: LimitKind, since: Since, limit: &str, used: &str, before: &str) -> Reached {
    let what = kind.name();
    let (option, key) = kind.settings();
    let (count, setting) = match since {
        Since::Start => (String::new(), format!("{option} or {key}")),
        Since::Resumed => (" since the run was resumed".to_owned(), option.to_owned()),
        Since::Before => (format!(" ({before} before the run was resumed)"), key.to_owned()),
    };
    let message = format!(
        "The run was ended at its {what} limit of {limit}: {used}{count}. Set {setting} higher to let it go further."
    );
    Reached { message }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How long something took, about.
fn about(time: Duration) -> String {
    let unit = if time < Duration::from_secs(10) { 100 } else { 1000 };
    in_words(Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX) / unit * unit))
}

/// A limit on time as it may have been set.
pub(super) fn in_words(limit: Duration) -> String {
    let milliseconds = limit.as_millis();
    match (milliseconds % 1000, milliseconds / 1000) {
        (0, seconds) if seconds % 60 != 0 || seconds == 0 => format!("{seconds} s"),
        (0, seconds) => format!("{} min", seconds / 60),
        _ if milliseconds < 1000 => format!("{milliseconds} ms"),
        _ => format!("{} s", limit.as_secs_f64()),
    }
}
