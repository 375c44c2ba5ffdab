//! Warnings about a prompt file that runs nevertheless: one line each on standard error.

use rquickjs::{Ctx, Result};

use super::{engine::shared, loader::closest};

/// Writes `Warning: message`.
pub(super) fn warning(ctx: &Ctx<'_>, message: &str) -> Result<()> {
    stderr(ctx, &format!("Warning: {message}\n"))
}

/// Writes text to standard error as it is.
pub(super) fn stderr(ctx: &Ctx<'_>, text: &str) -> Result<()> {
    shared(ctx)?.host.write_stderr(text);
    Ok(())
}

/// Warns of a name nobody knows, with the one that was most likely meant.
pub(super) fn unknown_name(ctx: &Ctx<'_>, place: &str, name: &str, known: &[&'static str]) -> Result<()> {
    let meant = match closest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => format!("known are {}", known.join(", ")),
    };
    warning(ctx, &format!("{place} has no '{name}' and ignores it; {meant}"))
}
