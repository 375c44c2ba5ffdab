//! Running prompts: files, `runPrompt`, prompts that a script runs itself. The order of a step is in `session`.

pub(crate) mod answer;
mod child;
pub(super) mod config_overrides;
pub(crate) mod deadlock;
pub(crate) mod file;
pub(crate) mod file_input;
mod hooks;
pub(crate) mod host;
pub(crate) mod limits;
pub(crate) mod model_choice;
pub(crate) mod module;
mod nesting;
pub(super) mod parsed_input;
pub(super) mod rows;
pub(crate) mod run_prompt;
pub(crate) mod similar_exports;
pub(crate) mod start;
pub(crate) mod stateful_class;
mod tool_call;
mod turn_prompt;

use rquickjs::{Ctx, Result};

use super::{
    services::{self, HostServices},
    tools::end_signal,
};

pub(crate) fn install(ctx: &Ctx<'_>, host: HostServices) -> Result<()> {
    services::install(ctx, host, child::run_child)?;
    end_signal::install(ctx)?;
    stateful_class::install(ctx)
}
