//! Failures that are answers to the model, and that the author would otherwise not see: one line each on standard error,
//! with the place in the file. Must not know how such a failure is answered.

use rquickjs::{Ctx, Error, Function, Value};

use super::label::Label;
use crate::script::{
    bindings::{services, values::thrown_message},
    diagnose, is_halted, place_of_function,
    warn::warning,
};

/// More of a message is not shown: a schema may have much to say.
const MAX_MESSAGE: usize = 400;

/// What a tool or one of its callbacks threw, as the message for the model. `function` is the one that was called.
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
    warn_of_thrown(ctx, function, label, callback, thrown);
    message
}

fn warn_of_thrown<'js>(
    ctx: &Ctx<'js>,
    function: &Function<'js>,
    label: Label<'_>,
    callback: Option<&str>,
    thrown: Value<'js>,
) {
    let diagnostic = diagnose(ctx, thrown).diagnostic;
    // Somebody asked for the end of it, or everything ends.
    let ends = is_halted(ctx) || services::limits(ctx).is_ok_and(|limits| limits.ended().is_some());
    if ends || diagnostic.name == "AbortError" {
        return;
    }
    let headline = diagnostic.headline();
    let headline = headline.strip_prefix("Error: ").unwrap_or(&headline);
    let what = callback.map(|callback| format!("{callback} of ")).unwrap_or_default();
    let place = diagnostic.location.map(|place| format!("{}:{}:{}", place.path, place.line, place.column));
    let place = place.or_else(|| place_of_function(ctx, function));
    tell(ctx, &format!("{what}{} {} threw: {headline}", label.noun, label.name), place);
}

/// Arguments that a schema refused.
pub(crate) fn refused<'js>(ctx: &Ctx<'js>, function: &Function<'js>, message: &str) {
    tell(ctx, message, place_of_function(ctx, function));
}

/// A call that leads nowhere; `function` is the prompt's.
pub(crate) fn unanswered<'js>(ctx: &Ctx<'js>, function: Option<&Function<'js>>, message: &str) {
    tell(ctx, message, function.and_then(|function| place_of_function(ctx, function)));
}

fn tell(ctx: &Ctx<'_>, message: &str, place: Option<String>) {
    let mut line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(MAX_MESSAGE) {
        line.truncate(end);
        line.push('…');
    }
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    // The answer must not depend on whether the line could be written.
    let _ = warning(ctx, &format!("{line}{place}"));
}
