//! Recordings of tests (docs/reference/recordings.md): which exchange answers a request, and which are
//! kept.
//!
//! One [`RecordingStore`] serves all threads of a `lmthing test`. Each file gets a [`FileRecordings`] from it, on its
//! own thread, and each of its tests a [`TestRecordings`]. An engine gets [`Exchanges`]:
//!
//! ```text
//! let store = RecordingStore::new(mode);                 // once
//! let file = store.for_file(&path, &shown);              // each file, on its thread
//! let exchanges = file.own(&redactor);                   //   for the engine of the test file
//! let test = file.begin_test(index);                     //   each test
//! test.begin_attempt();                                  //     each repetition
//! let run = test.recorded(&recording, &redactor)?;       //     each run() with a recording; has run.exchanges
//! let run = test.unrecorded();                           //     each other run(), with or without a mock
//! run.run_ended();                                       //     after it, unless it was cancelled
//! test.take_fault();                                     //     after each run, and after a test that passed
//! file.end_test(passed);
//! file.end(whole);
//! let finished = store.finish();                         // once
//! ```
//!
//! [`Exchanges`]: lmthing_engine::bindings::Exchanges

mod cell_recordings;
mod file_recordings;
mod gateway;
mod merge;
mod messages;
mod recorded_use;
mod recording;
mod run;
mod store;
mod test_recordings;
mod tested_file;
mod write;

#[cfg(test)]
mod tests;

pub use cell_recordings::CellRecording;
pub(crate) use file_recordings::FileRecordings;
pub(crate) use recorded_use::RecordedAnswers;
pub use recorded_use::RecordedUse;
pub use store::RecordingStore;
pub use tested_file::recording_of;
pub use write::Finished;

/// The model of a test that was made of a run (`runs export --as-test`) in which a mock, or not the first model of a list, has
/// answered. It is an alias that is not set, so that every exchange of the recording may answer.
pub const RECORDED_MODEL: &str = "recorded";

/// What answers model requests of tests. Mock models and models written in JavaScript always answer themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Recordings only.
    #[default]
    Replay,
    /// Recordings, and models for requests that are not recorded yet (`--record`).
    Record,
    /// Models, which replace all recordings (`--record --live`).
    RecordAll,
    /// Models; recordings are ignored and kept (`--live`).
    Live,
}

impl Mode {
    pub(super) fn is_recording(self) -> bool {
        matches!(self, Mode::Record | Mode::RecordAll)
    }
}
