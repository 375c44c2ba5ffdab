//! Running prompts: a file, with `runPrompt`, or by hand; and the step loop's view of a prompt. The one room that
//! knows all the others; the order of a step is not here but in `session`.

mod abort;
mod body;
mod child;
pub(crate) mod file;
mod hooks;
mod host;
pub(crate) mod start;
pub(crate) mod stateful_class;

use rquickjs::{Ctx, Result};

use super::services::{self, Doors};

/// Gives the rest of the bindings what runs prompts; done once an engine.
pub(crate) fn install(ctx: &Ctx<'_>, doors: Doors) -> Result<()> {
    services::install(ctx, doors, child::run_child)?;
    stateful_class::install(ctx)
}
