//! One file per command.

pub(super) mod models;
pub(super) mod run;
