//! Running prompts: a file, with `runPrompt`, or by hand; and the step loop's view of a prompt. The one room that
//! knows all the others; the order of a step is not here but in `session`.

pub(crate) mod answer;
mod body;
mod child;
pub(crate) mod file;
pub(crate) mod file_input;
pub(crate) mod from_code;
mod hooks;
pub(crate) mod host;
pub(crate) mod limits;
pub(crate) mod model_choice;
pub(crate) mod module;
mod nesting;
pub(super) mod rows;
pub(crate) mod start;
pub(crate) mod stateful_class;
pub(crate) mod stuck;
pub(super) mod typed_input;

use rquickjs::{Ctx, Result};

use super::{
    services::{self, Doors},
    tools::end_signal,
};

/// Gives the rest of the bindings what runs prompts; done once an engine.
pub(crate) fn install(ctx: &Ctx<'_>, doors: Doors) -> Result<()> {
    services::install(ctx, doors, child::run_child)?;
    end_signal::install(ctx)?;
    stateful_class::install(ctx)
}
