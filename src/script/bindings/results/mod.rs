//! What a run hands to a script: `result`, its streams, recorded steps, and why it broke off. Readers
//! of a record all of them; must not know how a run is driven.

pub(crate) mod prompt_steps;
mod run_parts;
pub(crate) mod run_result;
pub(crate) mod run_stream;
pub(crate) mod throw;
