//! Recordings of tests (docs/reference.md, "Recordings of tests"): who answers what a test asks of models, and which
//! exchanges a file keeps.
//!
//! One [`Shelf`] serves a whole `lmthing test`, all of its threads. Each file that is run gets a [`FileRecordings`] from it, on
//! its own thread, and each of its tests a [`TestRecordings`]. What goes into an engine are [`Exchanges`].
//!
//! Must not know: how a test is run, what a recording looks like inside (`provider::record`).

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use crate::{diagnostic::Diagnostic, provider::Redactor, script::bindings::Exchanges};

/// Who answers what tests ask of models. Mock models, and those written in JavaScript, always answer themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Recordings alone; no model is asked.
    #[default]
    Replay,
    /// Recordings, and the models for what is not recorded yet (`--record`).
    Record,
    /// The models for everything, and all is recorded anew (`--record --live`).
    RecordAll,
    /// The models, also where there are recordings, which stay as they are (`--live`).
    Live,
}

/// The recordings of a `lmthing test`: each is read once, and written at the end where it has changed.
pub(crate) struct Shelf {
    mode: Mode,
}

/// What a person should know at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finished {
    /// What was written, and what nobody asks for any more; a sentence each.
    pub(crate) notes: Vec<String>,
    /// Recordings that could not be written; a sentence each. The command has failed then.
    pub(crate) errors: Vec<String>,
}

impl Shelf {
    /// The shelf of a `lmthing test`.
    pub(crate) fn new(mode: Mode) -> Arc<Shelf> {
        Arc::new(Shelf { mode })
    }

    /// The recordings of a file that is to be run: a test file, or a prompt file with its smoke test. `file` is its absolute
    /// path, `shown` what a person calls it.
    pub(crate) fn for_file(self: &Arc<Self>, file: &Path, shown: &Path) -> Rc<FileRecordings> {
        let outside = Rc::new(TestRecordings { mode: self.mode });
        Rc::new(FileRecordings {
            file: file.to_owned(),
            shown: shown.to_owned(),
            current: RefCell::new(outside.clone()),
            outside,
        })
    }

    /// Writes the recordings that have changed. Called once, when no file is run any more, also after an interruption:
    /// exchanges are only dropped from a recording when all files that use it have ended whole.
    pub(crate) fn finish(&self) -> Finished {
        Finished::default()
    }
}

/// The recordings of one file, for the thread that runs it.
pub(crate) struct FileRecordings {
    file: PathBuf,
    shown: PathBuf,
    /// Whatever asks outside of any test: `beforeAll`, the file's top level.
    outside: Rc<TestRecordings>,
    current: RefCell<Rc<TestRecordings>>,
}

impl FileRecordings {
    /// For the engine of the test file itself, where `runPrompt` and the judge of `toSatisfy` ask: `NAME.test.recording.json`
    /// beside `NAME.test.lmt.mjs`. Each request counts for the test that is running then.
    pub(crate) fn own(self: &Rc<Self>, _redactor: &Redactor) -> Exchanges {
        Exchanges::Live
    }

    /// A test begins; it is the current one until it ends. `index` is its place in the file.
    pub(crate) fn begin_test(&self, _index: usize) -> Rc<TestRecordings> {
        let test = Rc::new(TestRecordings { mode: self.outside.mode });
        self.current.replace(test.clone());
        test
    }

    /// The test that is running; outside of tests what stands for the file itself.
    pub(crate) fn current(&self) -> Rc<TestRecordings> {
        self.current.borrow().clone()
    }

    /// The file is done. `whole` is true when each of its tests was run and passed (none skipped, filtered or left out) and
    /// nothing failed outside of them: only then is it known which exchanges it uses.
    pub(crate) fn end(&self, _whole: bool) {}
}

/// What one test, with all its repetitions, asks of recordings.
pub(crate) struct TestRecordings {
    mode: Mode,
}

impl TestRecordings {
    /// A repetition begins, the first one too: what the test file itself asks may be answered with exchanges once more.
    pub(crate) fn begin_attempt(&self) {}

    /// For one run with `recording: path` (absolute). Call it once for each run: within a run each exchange is played once,
    /// and a run prefers those that no earlier run of the test has played.
    ///
    /// # Errors
    /// When the recording is not there, with the command that makes it, or cannot be used, with what is wrong with it.
    pub(crate) fn exchanges(self: &Rc<Self>, _path: &Path, _redactor: &Redactor) -> Result<Exchanges, Box<Diagnostic>> {
        Ok(Exchanges::Live)
    }

    /// For a run without a recording: real models are refused, unless `--live` or `--record` allows them.
    pub(crate) fn unrecorded(self: &Rc<Self>) -> Exchanges {
        Exchanges::Live
    }

    /// Why a request of the test was refused or not answered, the first time that happened since this was asked last.
    /// `run()` rejects with it, whatever the run made of its failure; a test that passes all the same fails with it.
    pub(crate) fn take_fault(&self) -> Option<Diagnostic> {
        None
    }

    /// The test is over with all its repetitions. Of a test that has not passed no failures and no half answers are recorded.
    pub(crate) fn end(&self, _passed: bool) {}
}
