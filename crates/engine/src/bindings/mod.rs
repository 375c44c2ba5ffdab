//! The JavaScript API: methods of a prompt, and the modules `lmthing`, `lmthing/plugins`, `lmthing/test` and `lmthing/eval`
//! (docs/maintainers/architecture.md).

mod agents;
mod code_mode;
pub mod eval;
mod exports;
pub mod inspect;
mod jobs;
mod mcp;
mod models;
mod plugins;
mod prompt;
mod results;
mod resume;
mod run;
mod services;
mod table;
pub mod testing;
mod tools;
mod values;

use rquickjs::{Ctx, Result};

pub use exports::NATIVE_MODULES;
pub use mcp::hub::close as close_servers;
pub use run::{
    config_overrides::ConfigOverrides,
    file::{FileRun, run_file},
    file_input::help_without_input,
    model_choice::ModelChoice,
    parsed_input::{ParsedInput, read_input},
    rows::{InputRows, RowsFile, RowsModel, check_rows},
};
pub use services::{Exchanges, HostServices, TestExchanges};

pub fn install(ctx: &Ctx<'_>, host: HostServices) -> Result<()> {
    values::zod_functions::install(ctx)?;
    prompt::call::install(ctx, table::METHODS)?;
    prompt::memory::install(ctx)?;
    prompt::reference::Reference::finish_prototype(ctx)?;
    mcp::finish_prototype(ctx)?;
    results::prompt_steps::finish_prototype(ctx)?;
    results::run_stream::finish_prototype(ctx)?;
    run::install(ctx, host)?;
    mcp::hub::install(ctx)
}
