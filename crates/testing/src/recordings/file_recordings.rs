//! The recordings of one test file.

use std::{cell::RefCell, path::Path, rc::Rc, sync::Arc};

use super::{
    Mode, RecordedAnswers, gateway::Gateway, store::RecordingStore, test_recordings::TestRecordings,
    tested_file::TestedFile,
};
use lmthing_engine::bindings::Exchanges;
use lmthing_providers::Redactor;

impl RecordingStore {
    /// `file` is the absolute path of a test file or a smoke-tested prompt file, `shown` its path as the user gave
    /// it.
    pub fn for_file(self: &Arc<Self>, file: &Path, shown: &Path) -> Rc<FileRecordings> {
        FileRecordings::new(self.clone(), TestedFile::new(file, shown))
    }
}

pub struct FileRecordings {
    store: Arc<RecordingStore>,
    file: Rc<TestedFile>,
    /// Requests outside of any test: `beforeAll`, the top level of the file.
    outside: Rc<TestRecordings>,
    current: RefCell<Rc<TestRecordings>>,
}

impl FileRecordings {
    fn new(store: Arc<RecordingStore>, file: TestedFile) -> Rc<Self> {
        let file = Rc::new(file);
        let outside = TestRecordings::new(store.clone(), file.clone(), 0);
        Rc::new(FileRecordings { store, file, current: RefCell::new(outside.clone()), outside })
    }

    /// For the engine of the test file itself, where `runPrompt` and the judge of `toSatisfy` make requests:
    /// `NAME.test.recording.json` next to `NAME.test.lmt.mjs`. Each request belongs to the test that is running.
    pub fn own(self: &Rc<Self>, redactor: &Redactor) -> Exchanges {
        match self.store.mode {
            Mode::Live => Exchanges::Live,
            _ => {
                let file = self.clone();
                Gateway::for_test_file(move |model| file.current().own_run(model), redactor)
            }
        }
    }

    /// Makes a test the current one until it ends. `index` is its position in the file.
    pub fn begin_test(&self, index: usize) -> Rc<TestRecordings> {
        // The previous test was interrupted before its end.
        self.end_test(false);
        let test = TestRecordings::new(self.store.clone(), self.file.clone(), index + 1);
        self.current.replace(test.clone());
        test
    }

    /// Ends the current test with all its repetitions, if there is one. Failures and partial answers are recorded only
    /// for a test that passed.
    pub fn end_test(&self, passed: bool) {
        let test = self.current.replace(self.outside.clone());
        if !Rc::ptr_eq(&test, &self.outside) {
            test.end(passed);
        }
    }

    /// Returns those of requests outside of tests if no test runs.
    pub fn current(&self) -> Rc<TestRecordings> {
        self.current.borrow().clone()
    }

    /// What the file has used of recordings.
    pub(crate) fn answers(&self) -> Rc<RecordedAnswers> {
        self.file.answers.clone()
    }

    /// `whole`: all tests of the file ran and passed, and nothing failed outside of them. Only then it is known which
    /// exchanges the file uses.
    pub fn end(&self, whole: bool) {
        // Interrupted before its end.
        self.end_test(false);
        self.outside.end(whole);
        self.store.file_ended(&self.file, whole);
    }
}
