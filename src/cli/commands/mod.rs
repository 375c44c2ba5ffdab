//! One file per command.

pub(super) mod run;
