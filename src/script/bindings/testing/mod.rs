//! What `lmthing/test` needs from the program: limits, places, and somebody who hears what came of tests (docs/testing.md). The
//! JavaScript half, `runtime-js/src/builtins/testing`, decides what runs when. Must not know threads, reports or terminals.

mod file;
mod host;
mod limited;
mod natives;
mod outcome;
pub(crate) mod run;
mod told;

pub(crate) use file::run_test_file;
pub(crate) use host::{TestHost, TestSettings, install};
pub(crate) use limited::in_words;
pub(crate) use natives::NATIVE;
pub(crate) use outcome::{Failure, Snapshots, State, TestOutcome};
pub(crate) use run::door::install as allow_runs;
