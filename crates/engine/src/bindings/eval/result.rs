//! Reads what a score has returned.

use rquickjs::{Ctx, Function, Result, Value};

use super::outcome::ScoreOutcome;
use crate::bindings::values::{kind_of, to_text};
use lmthing_node::{ScriptError, location_of_function};

pub(super) fn read<'js>(ctx: &Ctx<'js>, function: &Function<'js>, value: &Value<'js>) -> Result<ScoreOutcome> {
    let wrong = |what: &str, value: &Value<'js>| {
        let message = format!("{what}, got {}", shown(ctx, value));
        ScriptError::error(message).or_at(location_of_function(ctx, function)).throw(ctx)
    };
    let is_plain = |value: &Value<'js>| value.is_object() && !value.is_array() && !value.is_function();
    let (score, reason) = match value.as_object().filter(|_| is_plain(value)) {
        Some(object) => (object.get::<_, Value>("score")?, Some(object.get::<_, Value>("reason")?)),
        None => (value.clone(), None),
    };
    let reason = match reason.filter(|reason| !reason.is_undefined() && !reason.is_null()) {
        Some(reason) if reason.is_string() => Some(to_text(ctx, reason)?),
        Some(reason) => return Err(wrong("the reason of a score must be a string", &reason)),
        None => None,
    };
    if let Some(pass) = score.as_bool() {
        return Ok(ScoreOutcome::YesNo { pass, reason });
    }
    match score.as_number().filter(|score| (0.0..=1.0).contains(score)) {
        Some(score) => Ok(ScoreOutcome::Number { score, reason }),
        None if is_plain(value) && score.is_undefined() => {
            Err(wrong("a score must be true, false, a number from 0 to 1, or an object { score, reason }", value))
        }
        None => Err(wrong("a score must be true, false, or a number from 0 to 1", &score)),
    }
}

fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    match value.as_number() {
        Some(number) => number.to_string(),
        None if value.is_string() => {
            let text = to_text(ctx, value.clone()).unwrap_or_default();
            let cut: String = text.chars().take(60).collect();
            format!("'{cut}{}'", if cut.len() < text.len() { "…" } else { "" })
        }
        None if value.is_undefined() => "undefined (is a return missing?)".to_owned(),
        None => kind_of(value).to_owned(),
    }
}
