//! Runs the tests of prompt files, each file in its own engine, and reports the results (docs/reference/test.md).

mod file;
mod message;
mod options;
mod outcome;
mod pool;
mod prompt_runner;
mod recordings;
pub mod report;
mod reuse;
mod run_collector;
mod running_file;
mod smoke;

pub use options::{Answers, Kind, SMOKE_TIMEOUT, Subject, TEST_TIMEOUT, TestOptions, Watcher};
pub use outcome::{FileOutcome, Totals};
pub use pool::{Listener, Progress, run_tests};
pub use recordings::{CellRecording, Finished, Mode, RECORDED_MODEL, RecordedUse, RecordingStore, recording_of};
