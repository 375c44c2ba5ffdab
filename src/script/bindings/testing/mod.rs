//! The Rust half of `lmthing/test` (docs/testing.md). `runtime-js/src/builtins/testing` decides what runs when.

mod file;
mod host;
mod limited;
mod natives;
mod outcome;
mod reports;
pub(crate) mod run;

pub(crate) use file::run_test_file;
pub(crate) use host::{TestHost, TestSettings, install};
pub(crate) use limited::duration_text;
pub(crate) use natives::NATIVE;
pub(crate) use outcome::{Failure, Snapshots, State, TestOutcome};
pub(crate) use run::runner::install as install_runner;
