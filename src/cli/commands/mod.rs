//! One file per command: what was typed goes in, an exit code comes out.

pub(super) mod models;
mod prompt_file;
mod recording;
pub(super) mod run;
