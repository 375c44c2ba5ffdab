//! What scripts see of a run: `result`, its streams, recorded steps, its error.

pub(crate) mod elements;
mod output_reader;
pub(crate) mod prompt_steps;
mod run_parts;
pub(crate) mod run_result;
pub(crate) mod run_stream;
pub(crate) mod throw;
