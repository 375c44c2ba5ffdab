//! One file per command: what was typed goes in, an exit code comes out.

pub(super) mod models;
pub(super) mod run;
