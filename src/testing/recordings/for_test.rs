//! The recordings of one test, as those who run it see them.

use std::{path::Path, rc::Rc, sync::Arc};

use super::{
    door::Door,
    mode::Mode,
    run::{Run, Test},
    shelf::Shelf,
    tested_file::TestedFile,
};
use crate::{diagnostic::Diagnostic, provider::Redactor, script::bindings::Exchanges};

/// Who answers one run.
pub(crate) struct RunExchanges {
    /// For the run.
    pub(crate) exchanges: Exchanges,
    run: Option<Rc<Run>>,
}

impl RunExchanges {
    fn unrecorded(exchanges: Exchanges) -> Self {
        RunExchanges { exchanges, run: None }
    }

    /// The run has come to its end, and was not given up: what it broke off itself is part of what it does.
    pub(crate) fn run_ended(&self) {
        self.run.iter().for_each(|run| run.end());
    }
}

/// What one test, with all its repetitions, asks of recordings.
pub(crate) struct TestRecordings(Rc<Test>);

impl TestRecordings {
    pub(super) fn new(shelf: Arc<Shelf>, file: Rc<TestedFile>, index: usize) -> Rc<Self> {
        Rc::new(TestRecordings(Test::new(shelf, file, index)))
    }

    /// A repetition begins, the first one too: what the test file itself asks may be answered with exchanges once more.
    pub(crate) fn begin_attempt(&self) {
        self.0.begin_attempt();
    }

    /// For one run with `recording: path` (absolute). Call it once for each run: within a run each exchange is played once,
    /// and a run prefers those that no earlier run of the test has played. `redactor` knows the secrets of the run.
    ///
    /// # Errors
    /// When the recording is not there, with the command that makes it, or cannot be used, with what is wrong with it.
    pub(crate) fn recorded(&self, path: &Path, redactor: &Redactor) -> Result<RunExchanges, Box<Diagnostic>> {
        if self.0.shelf.mode == Mode::Live {
            return Ok(RunExchanges::unrecorded(Exchanges::Live));
        }
        let run = self.0.run(path)?;
        let of_run = run.clone();
        Ok(RunExchanges { exchanges: Door::of_run(move |_| Ok(of_run.clone()), redactor), run: Some(run) })
    }

    /// For a run without a recording: real models are refused, unless `--live` or `--record` allows them.
    pub(crate) fn unrecorded(&self) -> RunExchanges {
        let test = self.0.clone();
        RunExchanges::unrecorded(match test.shelf.mode {
            Mode::Replay => Door::of_run(move |model| Err(test.refused(model)), &Redactor::default()),
            Mode::Record | Mode::RecordAll | Mode::Live => Exchanges::Live,
        })
    }

    /// Why a request of the test was refused or not answered, the first time that happened since this was asked last.
    /// `run()` rejects with it, whatever the run made of its failure; a test that passes all the same fails with it.
    pub(crate) fn take_fault(&self) -> Option<Diagnostic> {
        self.0.take_fault()
    }

    /// The same, which can be asked for again.
    pub(crate) fn fault(&self) -> Option<Diagnostic> {
        self.0.fault()
    }

    /// The test is over with all its repetitions.
    pub(super) fn end(&self, passed: bool) {
        self.0.end(passed);
    }

    /// The requests of the test file itself, of which one is made to `model` now.
    ///
    /// # Errors
    /// When it has no recording that can be used.
    pub(super) fn own_run(&self, model: &str) -> Result<Rc<Run>, Box<Diagnostic>> {
        self.0.own_run(model)
    }
}
