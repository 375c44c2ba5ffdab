//! What prompt files call: the methods of a prompt, `lmthing`, `lmthing/plugins` and `lmthing/test`.
//!
//! Owns: reading arguments, calling callbacks, and showing plain data as JavaScript objects. What definitions mean is
//! in [`crate::prompt`], the order of a run in `session`; bindings only carry values across.
//!
//! A room an area, each importing only those above it:
//!
//! - `values` – JavaScript values from and to plain data: JSON, schemas, messages, steps
//! - `prompt` – the prompt object, what it keeps, and the methods that say what is in a prompt
//! - `services` – the doors to the rest of the program
//! - `jobs` – what is at work in a run, and what waits for approval
//! - `going_on` – runs that began in another process: what they remember, and parts of calls that were done
//! - `results` – `result`, its streams, recorded steps, why a run broke off
//! - `models` – model strings and model objects
//! - `tools`, `agents`, `code_mode`, `mcp`, `plugins` – what the model can have called
//! - `run` – running prompts
//! - `inspect` – what is wrong with a file, and its first render, without a model
//! - `testing` – running tests
//! - `table`, `exports` – every method, every export

mod agents;
mod code_mode;
mod exports;
mod going_on;
pub(crate) mod inspect;
mod jobs;
mod mcp;
mod models;
mod plugins;
mod prompt;
mod results;
mod run;
mod services;
mod table;
pub(crate) mod testing;
mod tools;
mod values;

use rquickjs::{Ctx, Result};

pub(crate) use exports::NATIVE_MODULES;
pub(crate) use mcp::hub::close as close_servers;
pub(crate) use run::{
    file::{FileRun, run_file},
    model_choice::ModelChoice,
    rows::{InputRows, check_rows},
    typed_input::{TypedInput, read_input},
};
pub(crate) use services::{Doors, Exchanges, TestExchanges};

/// Prepares an engine for prompt files; `doors` lead to the rest of the program.
pub(crate) fn install(ctx: &Ctx<'_>, doors: Doors) -> Result<()> {
    values::schema::install(ctx)?;
    prompt::call::install(ctx, table::METHODS)?;
    prompt::memory::install(ctx)?;
    prompt::reference::Reference::finish_prototype(ctx)?;
    mcp::finish_prototype(ctx)?;
    results::prompt_steps::finish_prototype(ctx)?;
    results::run_stream::finish_prototype(ctx)?;
    run::install(ctx, doors)?;
    mcp::hub::install(ctx)
}
