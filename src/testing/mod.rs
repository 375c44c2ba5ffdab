//! Runs the tests of prompt files, each file in its own engine, and reports the results (docs/testing.md).

mod file;
mod line_buffer;
mod message;
mod options;
mod outcome;
mod pool;
mod prompt_runner;
mod recordings;
pub(crate) mod report;
mod run_collector;
mod running_file;
mod running_prompts;
mod smoke;
mod start;

pub(crate) use options::{Answers, Kind, SMOKE_TIMEOUT, Subject, TEST_TIMEOUT, TestOptions, Watcher};
pub(crate) use outcome::{FileOutcome, Totals};
pub(crate) use pool::{Listener, Progress, run_tests};
pub(crate) use recordings::{Mode, RecordingStore, recording_of};
