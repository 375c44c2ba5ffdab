//! Warnings for the author of failures that are answers to the model, with the place in the file.

use rquickjs::{Ctx, Error, Function, Value};

use super::Label;
use crate::bindings::{services, values::thrown_message};
use lmthing_node::{diagnose, is_halted, place_of_function, warn::warning};

/// Longer messages are cut: schema errors may be long.
const MAX_MESSAGE: usize = 400;

/// Warns of what a tool or one of its callbacks threw. Returns the message for the model.
pub(crate) fn thrown<'js>(
    ctx: &Ctx<'js>,
    function: &Function<'js>,
    label: Label<'_>,
    callback: Option<&str>,
    error: Error,
) -> String {
    if !matches!(error, Error::Exception) {
        return error.to_string();
    }
    let thrown = ctx.catch();
    let message = thrown_message(ctx, &thrown);
    warn_thrown(ctx, function, label, callback, thrown);
    message
}

fn warn_thrown<'js>(
    ctx: &Ctx<'js>,
    function: &Function<'js>,
    label: Label<'_>,
    callback: Option<&str>,
    thrown: Value<'js>,
) {
    let diagnostic = diagnose(ctx, thrown).diagnostic;
    // The failure is a consequence of an abort or of the end of the run.
    let is_ending = is_halted(ctx) || services::limits(ctx).is_ok_and(|limits| limits.ended().is_some());
    if is_ending || diagnostic.name == "AbortError" {
        return;
    }
    let headline = diagnostic.headline();
    let headline = headline.strip_prefix("Error: ").unwrap_or(&headline);
    let what = callback.map(|callback| format!("{callback} of ")).unwrap_or_default();
    let place = diagnostic.location.map(|place| format!("{}:{}:{}", place.path, place.line, place.column));
    let place = place.or_else(|| place_of_function(ctx, function));
    print(ctx, &format!("{what}{} {} threw: {headline}", label.noun, label.name), place);
}

pub(crate) fn refused<'js>(ctx: &Ctx<'js>, function: &Function<'js>, message: &str) {
    print(ctx, message, place_of_function(ctx, function));
}

pub(crate) fn unanswered<'js>(ctx: &Ctx<'js>, function: Option<&Function<'js>>, message: &str) {
    print(ctx, message, function.and_then(|function| place_of_function(ctx, function)));
}

/// Warns of an agent's answer that became JSON only when it was mended.
pub(crate) fn mended(ctx: &Ctx<'_>, label: Label<'_>, faults: &str) {
    print(ctx, &format!("the answer of {} {} was not JSON and was mended ({faults})", label.noun, label.name), None);
}

fn print(ctx: &Ctx<'_>, message: &str, place: Option<String>) {
    let mut line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(MAX_MESSAGE) {
        line.truncate(end);
        line.push('…');
    }
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    // Failing to print must not change the answer.
    let _ = warning(ctx, &format!("{line}{place}"));
}
