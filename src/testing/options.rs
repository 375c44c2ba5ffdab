//! How tests are to be run. Must not know where that was said.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::recordings::Shelf;
use crate::cost::OwnPrices;

/// How long a test, a hook, or loading a file may take.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the smoke test of a prompt file may take.
pub(crate) const SMOKE_TIMEOUT: Duration = Duration::from_secs(60);

/// A file with something to test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// As it was typed, or below a folder as that was typed.
    pub(crate) file: PathBuf,
    /// What is in it.
    pub(crate) kind: Kind,
}

/// What a file is to tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It holds tests.
    Tests,
    /// It is a prompt file: it passes when it runs to its end.
    Smoke(Answers),
}

/// Who answers in a smoke test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// The export `mock`, whatever `config.model` is.
    Mock,
    /// The recording beside the file.
    Recording,
    /// Nobody yet: with `--record`, a recording is made.
    Nobody,
}

/// How all of them are run.
#[derive(Clone)]
pub(crate) struct TestOptions {
    /// The environment.
    pub(crate) variables: Vec<(String, String)>,
    /// The file that names servers of the Model Context Protocol; absolute, since a test may change the working directory.
    pub(crate) mcp_config: Option<PathBuf>,
    /// What models cost that no table knows.
    pub(crate) own_prices: OwnPrices,
    /// Who answers for models.
    pub(crate) shelf: Arc<Shelf>,
    /// Whether tests may reach other machines.
    pub(crate) is_live: bool,
    /// Nobody is there: no snapshot is written, and `test.only` is a mistake.
    pub(crate) is_ci: bool,
    /// Snapshots become what the tests say.
    pub(crate) update: bool,
    /// Only tests with this in their full name are run.
    pub(crate) filter: Option<String>,
    /// After so many failed tests no more begin.
    pub(crate) bail: Option<NonZeroUsize>,
    /// How many files are run at once.
    pub(crate) jobs: NonZeroUsize,
    /// How long a test or hook may take that says nothing else; 0 for no limit.
    pub(crate) timeout: Duration,
    /// The same of a smoke test.
    pub(crate) smoke_timeout: Duration,
    /// Who watches the files that tests are made of; nobody unless they are to be run again.
    pub(crate) watcher: Option<Arc<dyn Watcher>>,
}

impl TestOptions {
    /// Tells who watches of the recordings that were used: what the tests have written of them is no change.
    pub(crate) fn tell_of_recordings(&self) {
        let Some(watcher) = &self.watcher else { return };
        for file in self.shelf.files() {
            match self.shelf.is_recording() {
                true => watcher.wrote(&file),
                false => watcher.looked_for(&file),
            }
        }
    }
}

/// Hears of the files that tests are made of, from several threads.
pub(crate) trait Watcher: Send + Sync {
    /// A test is about to read a file, whether or not it is there.
    fn looked_for(&self, file: &Path);

    /// The tests themselves have written a file: that is no change.
    fn wrote(&self, file: &Path);
}
