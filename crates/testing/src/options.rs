//! Options of a test run.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::recordings::RecordingStore;
use lmthing_base::cost::OwnPrices;

/// How long a test, a hook, or loading a file may take.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the smoke test of a prompt file may take.
pub const SMOKE_TIMEOUT: Duration = Duration::from_secs(60);

/// A file to test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The path as the user gave it, or below a folder that the user gave.
    pub file: PathBuf,
    pub kind: Kind,
}

/// How a file is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Tests,
    /// A prompt file: the test passes if the file runs to its end.
    Smoke(Answers),
}

/// What answers model requests in a smoke test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    Mock,
    /// The recording in the folder of the file.
    Recording,
    /// Nothing yet: `--record` creates a recording.
    Missing,
}

/// The options of all files of a test run.
#[derive(Clone)]
pub struct TestOptions {
    pub variables: Vec<(String, String)>,
    /// The configuration of MCP servers; absolute, since a test may change the working directory.
    pub mcp_config: Option<PathBuf>,
    /// Prices of models that the built-in table lacks.
    pub own_prices: OwnPrices,
    pub recordings: Arc<RecordingStore>,
    pub is_live: bool,
    /// Unattended: no snapshot is written, and `test.only` is an error.
    pub is_ci: bool,
    /// Whether snapshots are overwritten.
    pub update: bool,
    /// Runs only tests whose full name contains this.
    pub filter: Option<String>,
    /// Starts no more tests after this many failures.
    pub bail: Option<NonZeroUsize>,
    pub jobs: NonZeroUsize,
    /// The default limit of a test or hook; 0 for none.
    pub timeout: Duration,
    /// The limit of a smoke test.
    pub smoke_timeout: Duration,
    /// Set in watch mode.
    pub watcher: Option<Arc<dyn Watcher>>,
}

impl TestOptions {
    /// Reports the recordings to the watcher. Those written by the tests must not count as changes.
    pub fn watch_recordings(&self) {
        let Some(watcher) = &self.watcher else { return };
        for file in self.recordings.files() {
            match self.recordings.is_recording() {
                true => watcher.wrote(&file),
                false => watcher.note_read(&file),
            }
        }
    }
}

/// Receives the files that tests depend on, from several threads.
pub trait Watcher: Send + Sync {
    /// A test is about to read a file, which may not exist.
    fn note_read(&self, file: &Path);

    /// The tests have written a file, which is no change.
    fn wrote(&self, file: &Path);
}
