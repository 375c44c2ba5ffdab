//! Warnings about a script.

use rquickjs::{Ctx, Result};

use super::{ScriptError, diagnose::diagnose, host::host};
use lmthing_base::diagnostic::{Location, closest};

/// Warns with the location of the running code.
pub fn warning(ctx: &Ctx<'_>, message: &str) -> Result<()> {
    let location = || -> Option<Location> {
        let here = ScriptError::error(message).into_object(ctx).map_err(|_| ctx.catch()).ok()?;
        diagnose(ctx, here.into_value()).diagnostic.location
    };
    host(ctx)?.warn_at(message, &location);
    Ok(())
}

/// Writes text to standard error that the script did not print.
pub fn write_foreign(ctx: &Ctx<'_>, text: &str) -> Result<()> {
    host(ctx)?.write_foreign(text);
    Ok(())
}

/// Warns of an unknown name and suggests the most similar known one.
pub fn unknown_name(ctx: &Ctx<'_>, place: &str, name: &str, known: &[&'static str]) -> Result<()> {
    ignored_name(ctx, place, name, &suggestion(name, known))
}

/// Warns of an unknown name, with advice.
pub fn ignored_name(ctx: &Ctx<'_>, place: &str, name: &str, advice: &str) -> Result<()> {
    warning(ctx, &format!("{place} has no '{name}' and ignores it; {advice}"))
}

/// Suggests the most similar known name, or lists all of them.
pub fn suggestion(name: &str, known: &[&'static str]) -> String {
    match closest_name(name, known) {
        Some(closest) => format!("did you mean '{closest}'?"),
        None => format!("known are {}", known.join(", ")),
    }
}

/// The most similar known name: by spelling, or else by its words.
pub fn closest_name(name: &str, known: &[&'static str]) -> Option<&'static str> {
    closest(name, known.iter().copied()).or_else(|| with_same_words(name, known))
}

fn with_same_words(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let given = words(name);
    known.iter().copied().find(|known| {
        let words = words(known);
        given.iter().all(|word| words.contains(word))
    })
}

/// Splits a name in camel or snake case into words in lower case.
pub fn words(name: &str) -> Vec<String> {
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
