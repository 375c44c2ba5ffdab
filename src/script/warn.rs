//! Warnings about a prompt file that runs nevertheless: one line each on standard error.

use rquickjs::{Ctx, Result};

use super::{ScriptError, diagnose::diagnose, host::host};
use crate::diagnostic::{Location, closest};

/// Warns in one line. Everything that a run warns of goes through the host's `warn`.
pub(super) fn warning(ctx: &Ctx<'_>, message: &str) -> Result<()> {
    let place = || -> Option<Location> {
        let here = ScriptError::error(message).into_object(ctx).map_err(|_| ctx.catch()).ok()?;
        diagnose(ctx, here.into_value()).diagnostic.location
    };
    host(ctx)?.warn_at(message, &place);
    Ok(())
}

/// Writes text that is not the script's own to standard error.
pub(super) fn foreign(ctx: &Ctx<'_>, text: &str) -> Result<()> {
    host(ctx)?.write_foreign(text);
    Ok(())
}

/// Warns of a name nobody knows, with the one that was most likely meant.
pub(super) fn unknown_name(ctx: &Ctx<'_>, place: &str, name: &str, known: &[&'static str]) -> Result<()> {
    ignored_name(ctx, place, name, &meant(name, known))
}

/// Warns of a name nobody knows, with advice.
pub(super) fn ignored_name(ctx: &Ctx<'_>, place: &str, name: &str, advice: &str) -> Result<()> {
    warning(ctx, &format!("{place} has no '{name}' and ignores it; {advice}"))
}

/// What was most likely meant by a name nobody knows, else what is known.
pub(super) fn meant(name: &str, known: &[&'static str]) -> String {
    match likely(name, known) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => format!("known are {}", known.join(", ")),
    }
}

/// The known name that was most likely meant: first the same word mistyped, then another word for the same thing.
pub(super) fn likely(name: &str, known: &[&'static str]) -> Option<&'static str> {
    closest(name, known.iter().copied()).or_else(|| same_words(name, known))
}

/// A known name with all the words of `name` and more: `maxOutputTokens` for `maxTokens` or `max_tokens`.
fn same_words(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let wanted = words(name);
    known.iter().copied().find(|known| {
        let words = words(known);
        wanted.iter().all(|word| words.contains(word))
    })
}

/// The words of a name in camel or snake case, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && letter != '_'
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
