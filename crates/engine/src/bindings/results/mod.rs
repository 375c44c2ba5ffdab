//! What scripts see of a run: `result`, its streams, recorded steps, its error.

pub mod prompt_steps;
mod run_parts;
pub mod run_result;
pub mod run_stream;
pub mod throw;
