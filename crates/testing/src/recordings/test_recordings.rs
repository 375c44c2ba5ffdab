//! The recordings of one test.

use std::{path::Path, rc::Rc, sync::Arc};

use super::{
    Mode,
    gateway::Gateway,
    run::{Run, Test},
    store::RecordingStore,
    tested_file::TestedFile,
};
use lmthing_base::diagnostic::{Diagnostic, Location};
use lmthing_engine::bindings::Exchanges;
use lmthing_providers::Redactor;

pub struct RunExchanges {
    pub exchanges: Exchanges,
    run: Option<Rc<Run>>,
}

impl RunExchanges {
    fn unrecorded(exchanges: Exchanges) -> Self {
        RunExchanges { exchanges, run: None }
    }

    /// Sets the call of the author's code that has begun the run, where its faults are reported.
    #[must_use]
    pub fn called_at(self, location: Option<Location>) -> Self {
        self.run.iter().for_each(|run| run.called_at(location.clone()));
        self
    }

    /// Marks the run as completed, not cancelled: requests that it aborted itself are part of its recording.
    pub fn run_ended(&self) {
        self.run.iter().for_each(|run| run.end());
    }
}

/// The requests of one test with all its repetitions.
pub struct TestRecordings(Rc<Test>);

impl TestRecordings {
    pub(super) fn new(store: Arc<RecordingStore>, file: Rc<TestedFile>, index: usize) -> Rc<Self> {
        Rc::new(TestRecordings(Test::new(store, file, index)))
    }

    /// Begins a repetition: requests of the test file itself may be answered by the same exchanges again.
    pub fn begin_attempt(&self) {
        self.0.begin_attempt();
    }

    /// For one run with `recording: path` (absolute). Call it once for each run: within a run each exchange is played
    /// once, and exchanges that no earlier run of the test has played come first.
    pub fn recorded(&self, path: &Path, redactor: &Redactor) -> Result<RunExchanges, Box<Diagnostic>> {
        if self.0.store.mode == Mode::Live {
            return Ok(RunExchanges::unrecorded(Exchanges::Live));
        }
        let run = self.0.run(path)?;
        let for_run = run.clone();
        Ok(RunExchanges { exchanges: Gateway::for_run(move |_| Ok(for_run.clone()), redactor), run: Some(run) })
    }

    /// For a run without a recording: real models are refused without `--live` or `--record`.
    pub fn unrecorded(&self) -> RunExchanges {
        let test = self.0.clone();
        RunExchanges::unrecorded(match test.store.mode {
            Mode::Replay => Gateway::for_run(move |model| Err(test.refused(model)), &Redactor::default()),
            Mode::Record | Mode::RecordAll | Mode::Live => Exchanges::Live,
        })
    }

    /// Takes the first fault since the last call: why a request was refused or not answered. `run()` rejects with it,
    /// even if the prompt handled the error; a test that passes all the same fails with it.
    pub fn take_fault(&self) -> Option<Diagnostic> {
        self.0.take_fault()
    }

    /// Returns the fault without taking it.
    pub fn fault(&self) -> Option<Diagnostic> {
        self.0.fault()
    }

    pub(super) fn end(&self, passed: bool) {
        self.0.end(passed);
    }

    pub(super) fn own_run(&self, model: &str) -> Result<Rc<Run>, Box<Diagnostic>> {
        self.0.own_run(model)
    }
}
