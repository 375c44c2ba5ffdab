//! Running prompts: files, `runPrompt`, prompts that a script runs itself. The order of a step is in `session`.

pub mod answer;
mod child;
pub mod deadlock;
pub mod file;
pub mod file_input;
mod hooks;
pub mod host;
pub mod limits;
pub mod model_choice;
pub mod module;
mod nesting;
pub(super) mod parsed_input;
pub(super) mod rows;
pub mod run_prompt;
pub mod start;
pub mod stateful_class;

use rquickjs::{Ctx, Result};

use super::{
    services::{self, HostServices},
    tools::end_signal,
};

pub fn install(ctx: &Ctx<'_>, host: HostServices) -> Result<()> {
    services::install(ctx, host, child::run_child)?;
    end_signal::install(ctx)?;
    stateful_class::install(ctx)
}
