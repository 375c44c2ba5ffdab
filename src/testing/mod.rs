//! Tests of prompt files: which files hold some, running each in an engine of its own, and reports of what came of it
//! (docs/testing.md).
//!
//! Owns: discovery, isolation, limits, recordings of tests, results, reports as text. Must not know: how a model is reached,
//! what a terminal is.

mod file;
mod lines;
mod message;
mod options;
mod outcome;
mod pool;
mod prompt_run;
mod recordings;
pub(crate) mod report;
mod running;
mod running_prompts;
mod smoke;
mod start;

pub(crate) use options::{Answers, Kind, SMOKE_TIMEOUT, Subject, TEST_TIMEOUT, TestOptions, Watcher};
pub(crate) use outcome::{FileOutcome, Totals};
pub(crate) use pool::{Listener, Progress, run_tests};
pub(crate) use recordings::{Mode, Shelf, recording_of};
