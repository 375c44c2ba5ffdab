//! The recording of an eval file, for its cells and judges (docs/reference/recordings.md).

use std::{path::Path, rc::Rc, sync::Arc};

use super::{
    gateway::Gateway,
    run::{Run, Test},
    store::RecordingStore,
    tested_file::TestedFile,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::bindings::Exchanges;
use lmthing_providers::Redactor;

/// Answers the requests of one cell.
pub struct CellRecording {
    test: Rc<Test>,
    run: Rc<Run>,
    redactor: Redactor,
}

impl RecordingStore {
    /// For the cell `index` of an eval file, from 1. Cells with equal requests differ in their `turn`, from 0: each is
    /// answered by an exchange of its own.
    pub fn of_cell(
        self: &Arc<Self>,
        (file, shown): (&Path, &Path),
        (index, turn): (usize, usize),
        redactor: &Redactor,
    ) -> Result<CellRecording, Box<Diagnostic>> {
        let file = Rc::new(TestedFile::new(file, shown));
        let path = file.own.clone();
        let test = Test::in_turn(self.clone(), file, index, turn);
        let run = test.run(&path)?;
        Ok(CellRecording { test, run, redactor: redactor.clone() })
    }

    /// For the requests of an eval file itself: its judges.
    pub fn of_judges(self: &Arc<Self>, file: &Path, shown: &Path, redactor: &Redactor) -> Exchanges {
        self.for_file(file, shown).own(redactor)
    }

    /// Ends an eval file. `is_whole`: all of its cells and judges have asked what they ask, so that other exchanges are
    /// not used any more.
    pub fn eval_ended(&self, file: &Path, shown: &Path, is_whole: bool) {
        self.file_ended(&TestedFile::new(file, shown), is_whole);
    }
}

impl CellRecording {
    pub fn exchanges(&self) -> Exchanges {
        let run = self.run.clone();
        Gateway::for_run(move |_| Ok(run.clone()), &self.redactor)
    }

    /// Failures and partial answers are recorded only for a cell that is good.
    pub fn ended(&self, is_good: bool) {
        self.run.end();
        self.test.end(is_good);
    }
}
