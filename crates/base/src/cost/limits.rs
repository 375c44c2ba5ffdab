//! The limits of a run: `config.limits` and the options of `run` (docs/reference/limits.md).

use std::time::Duration;

use serde_json::{Map, Value};
use thiserror::Error;

use super::duration::parse_duration;
use crate::diagnostic::closest;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    pub steps: Option<u64>,
    /// Input and output together.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
    /// How long the run may be active.
    pub time: Option<Duration>,
    /// Concurrent requests; [`DEFAULT_PARALLEL`] when unset.
    pub parallel: Option<usize>,
}

pub const DEFAULT_PARALLEL: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    Steps,
    Tokens,
    Cost,
    Time,
}

/// What is wrong in `config.limits`. `place` is the key, such as `config.limits.steps`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InvalidLimit {
    #[error("{place} must be {expected}, got {given}")]
    Value { place: String, expected: &'static str, given: String },
    /// An error, because the run would go on without the limit.
    #[error("{place} is not known; {advice}")]
    Key { place: String, advice: String },
}

/// The value of an option such as `--max-steps` is no limit.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("expected {expected}")]
pub struct ParseLimitError {
    expected: &'static str,
}

const STEPS: &str = "a whole number of steps, 1 or more";
const TOKENS: &str = "a whole number of tokens, 1 or more";
const COST: &str = "an amount of US dollars, 0 or more, such as 0.5";
const TIME: &str = "a time such as '90s', '1m30s' or '500ms', or a number of milliseconds above 0";
const PARALLEL: &str = "a whole number of requests, 1 or more";

/// 2^53: above it, not every whole number is a float.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

impl LimitKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            LimitKind::Steps => "step",
            LimitKind::Tokens => "token",
            LimitKind::Cost => "cost",
            LimitKind::Time => "time",
        }
    }

    pub(super) fn settings(self) -> (&'static str, &'static str) {
        match self {
            LimitKind::Steps => ("--max-steps", "config.limits.steps"),
            LimitKind::Tokens => ("--max-tokens", "config.limits.tokens"),
            LimitKind::Cost => ("--max-cost", "config.limits.cost"),
            LimitKind::Time => ("--timeout", "config.limits.time"),
        }
    }
}

impl Limits {
    pub const KEYS: [&'static str; 5] = ["steps", "tokens", "cost", "time", "parallel"];

    /// Reads `config.limits`.
    pub fn from_json(limits: &Value) -> Result<Self, InvalidLimit> {
        let limits = match limits {
            Value::Null => return Ok(Limits::default()),
            Value::Object(limits) => limits,
            other => {
                return Err(wrong("config.limits", "an object such as { steps: 20, cost: 0.5, time: '90s' }", other));
            }
        };
        let found = Limits {
            steps: entry(limits, "steps", STEPS, whole)?,
            tokens: entry(limits, "tokens", TOKENS, whole)?,
            cost: entry(limits, "cost", COST, |value| value.as_f64().filter(|cost| is_amount(*cost)))?,
            time: entry(limits, "time", TIME, time)?,
            parallel: entry(limits, "parallel", PARALLEL, |value| usize::try_from(whole(value)?).ok())?,
        };
        limits.keys().find_map(|key| unknown(key)).map_or(Ok(found), Err)
    }

    pub fn and(self, other: Limits) -> Self {
        fn smaller<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(if b < a { b } else { a }),
                (a, b) => a.or(b),
            }
        }
        Limits {
            steps: smaller(self.steps, other.steps),
            tokens: smaller(self.tokens, other.tokens),
            cost: smaller(self.cost, other.cost),
            time: smaller(self.time, other.time),
            parallel: smaller(self.parallel, other.parallel),
        }
    }

    pub fn parallel(&self) -> usize {
        self.parallel.unwrap_or(DEFAULT_PARALLEL)
    }

    /// Reads the value of `--max-steps`.
    pub fn parse_steps(text: &str) -> Result<u64, ParseLimitError> {
        parse_whole(text).ok_or(ParseLimitError { expected: STEPS })
    }

    pub fn parse_tokens(text: &str) -> Result<u64, ParseLimitError> {
        parse_whole(text).ok_or(ParseLimitError { expected: TOKENS })
    }

    pub fn parse_cost(text: &str) -> Result<f64, ParseLimitError> {
        let amount = text.strip_prefix('$').unwrap_or(text).parse().ok();
        amount.filter(|amount| is_amount(*amount)).ok_or(ParseLimitError { expected: COST })
    }

    /// Reads the value of `--timeout`; a number without a unit is in seconds, as with other command-line programs.
    pub fn parse_time(text: &str) -> Result<Duration, ParseLimitError> {
        let seconds = || parse_duration(&format!("{}s", text.trim()));
        let expected = "a time such as 90s, 1m30s, 500ms or 2h; a bare number is seconds";
        parse_duration(text).or_else(seconds).ok_or(ParseLimitError { expected })
    }
}

fn entry<T>(
    limits: &Map<String, Value>,
    key: &str,
    expected: &'static str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, InvalidLimit> {
    match limits.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => read(value).map(Some).ok_or_else(|| wrong(&format!("config.limits.{key}"), expected, value)),
    }
}

fn wrong(place: &str, expected: &'static str, given: &Value) -> InvalidLimit {
    let given = match given {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    };
    InvalidLimit::Value { place: place.to_owned(), expected, given }
}

fn unknown(key: &str) -> Option<InvalidLimit> {
    if Limits::KEYS.contains(&key) {
        return None;
    }
    let advice = match closest(key, Limits::KEYS) {
        Some(known) => format!("did you mean '{known}'?"),
        None => format!("known are {}", Limits::KEYS.join(", ")),
    };
    Some(InvalidLimit::Key { place: format!("config.limits.{key}"), advice })
}

fn is_amount(amount: f64) -> bool {
    amount.is_finite() && amount >= 0.0
}

/// A whole number from JavaScript, where all numbers are floats.
fn whole(value: &Value) -> Option<u64> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0 && (1.0..=MAX_WHOLE).contains(number))?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some(number as u64)
}

fn parse_whole(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number| *number >= 1)
}

fn time(value: &Value) -> Option<Duration> {
    match value {
        Value::String(text) => parse_duration(text),
        other => {
            let milliseconds = other.as_f64().filter(|number| *number > 0.0)?;
            Duration::try_from_secs_f64(milliseconds / 1000.0).ok().filter(|time| !time.is_zero())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_are_read() {
        let limits =
            Limits::from_json(&json!({ "steps": 3.0, "tokens": 5000, "cost": 0.5, "time": "90s", "parallel": 2 }))
                .unwrap();
        let expected = Limits {
            steps: Some(3),
            tokens: Some(5000),
            cost: Some(0.5),
            time: Some(Duration::from_secs(90)),
            parallel: Some(2),
        };
        assert_eq!(limits, expected);
        let limits = Limits::from_json(&json!({ "time": 1500, "steps": null })).unwrap();
        assert_eq!((limits.time, limits.steps, limits.parallel()), (Some(Duration::from_millis(1500)), None, 8));
        for (key, advice) in [("step", "did you mean 'steps'?"), ("money", "known are steps, tokens")] {
            let error = Limits::from_json(&json!({ key: 3 })).unwrap_err().to_string();
            assert!(error.starts_with(&format!("config.limits.{key} is not known; {advice}")), "{error}");
        }
    }

    #[test]
    fn invalid_limits_are_named() {
        for (limits, words) in [
            (json!(5), "config.limits must be an object such as"),
            (json!({ "steps": 0 }), "config.limits.steps must be a whole number of steps, 1 or more, got 0"),
            (json!({ "steps": 1.5 }), "got 1.5"),
            (
                json!({ "tokens": "many" }),
                "config.limits.tokens must be a whole number of tokens, 1 or more, got \"many\"",
            ),
            (json!({ "cost": -1 }), "config.limits.cost must be an amount of US dollars"),
            (json!({ "time": "90" }), "config.limits.time must be a time such as '90s'"),
            (json!({ "time": -5 }), "config.limits.time"),
            (
                json!({ "parallel": [] }),
                "config.limits.parallel must be a whole number of requests, 1 or more, got an array",
            ),
        ] {
            let error = Limits::from_json(&limits).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn options_are_read() {
        assert_eq!((Limits::parse_steps("20"), Limits::parse_cost("$0.25")), (Ok(20), Ok(0.25)));
        assert_eq!(Limits::parse_time("90"), Ok(Duration::from_secs(90)));
        assert_eq!(Limits::parse_time("1m30s"), Ok(Duration::from_secs(90)));
        for text in ["abc", "-1", "0", "", "1.5", "1e3"] {
            assert!(Limits::parse_steps(text).is_err() && Limits::parse_tokens(text).is_err(), "{text}");
        }
        for text in ["abc", "-1", "", "nan", "inf", "1,5"] {
            assert!(Limits::parse_cost(text).is_err(), "{text}");
        }
        for text in ["abc", "-1s", "", "0", "90x", "s"] {
            assert!(Limits::parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_smaller_limit_counts() {
        let file = Limits { steps: Some(5), cost: Some(1.0), ..Limits::default() };
        let option = Limits { steps: Some(9), cost: Some(0.5), tokens: Some(7), ..Limits::default() };
        let both = Limits { steps: Some(5), cost: Some(0.5), tokens: Some(7), ..Limits::default() };
        assert_eq!((file.and(option), option.and(file)), (both, both));
    }
}
