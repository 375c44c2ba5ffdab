//! The Rust half of `lmthing/test` (docs/reference/test.md). `runtime-js/src/builtins/testing` decides what runs when.

mod file;
mod host;
mod limited;
mod natives;
mod outcome;
mod reports;
pub mod run;

pub use file::run_test_file;
pub use host::{TestHost, TestSettings, install};
pub use limited::duration_text;
pub use natives::NATIVE;
pub use outcome::{Failure, Snapshots, State, TestOutcome};
pub use run::runner::install as install_runner;
