//! The recordings of one file that is run: which of its tests is running, and what its own engine asks. Must not know what is
//! recorded.

use std::{cell::RefCell, path::Path, rc::Rc, sync::Arc};

use super::{door::Door, for_test::TestRecordings, mode::Mode, shelf::Shelf, tested_file::TestedFile};
use crate::{provider::Redactor, script::bindings::Exchanges};

impl Shelf {
    /// The recordings of a file that is to be run: a test file, or a prompt file with its smoke test. `file` is its absolute
    /// path, `shown` what a person calls it.
    pub(crate) fn for_file(self: &Arc<Self>, file: &Path, shown: &Path) -> Rc<FileRecordings> {
        FileRecordings::new(self.clone(), TestedFile::new(file, shown))
    }
}

/// The recordings of one file, for the thread that runs it.
pub(crate) struct FileRecordings {
    shelf: Arc<Shelf>,
    file: Rc<TestedFile>,
    /// Whatever asks outside of any test: `beforeAll`, the file's top level.
    outside: Rc<TestRecordings>,
    current: RefCell<Rc<TestRecordings>>,
}

impl FileRecordings {
    fn new(shelf: Arc<Shelf>, file: TestedFile) -> Rc<Self> {
        let file = Rc::new(file);
        let outside = TestRecordings::new(shelf.clone(), file.clone(), 0);
        Rc::new(FileRecordings { shelf, file, current: RefCell::new(outside.clone()), outside })
    }

    /// For the engine of the test file itself, where `runPrompt` and the judge of `toSatisfy` ask: `NAME.test.recording.json`
    /// beside `NAME.test.lmt.mjs`. Each request counts for the test that is running then.
    pub(crate) fn own(self: &Rc<Self>, redactor: &Redactor) -> Exchanges {
        match self.shelf.mode {
            Mode::Live => Exchanges::Live,
            _ => {
                let file = self.clone();
                Door::of_test_file(move |model| file.current().own_run(model), redactor)
            }
        }
    }

    /// A test begins; it is the current one until it ends. `index` is its place in the file.
    pub(crate) fn begin_test(&self, index: usize) -> Rc<TestRecordings> {
        // One that was broken off.
        self.end_test(false);
        let test = TestRecordings::new(self.shelf.clone(), self.file.clone(), index + 1);
        self.current.replace(test.clone());
        test
    }

    /// The test that is running has ended with all its repetitions, if one is running; what is asked from now on is asked
    /// outside of tests. Of a test that has not passed no failures and no half answers are recorded.
    pub(crate) fn end_test(&self, passed: bool) {
        let test = self.current.replace(self.outside.clone());
        if !Rc::ptr_eq(&test, &self.outside) {
            test.end(passed);
        }
    }

    /// The test that is running; outside of tests what stands for the file itself.
    pub(crate) fn current(&self) -> Rc<TestRecordings> {
        self.current.borrow().clone()
    }

    /// The file is done. `whole` is true when each of its tests was run and passed (none skipped, filtered or left out) and
    /// nothing failed outside of them: only then is it known which exchanges it uses.
    pub(crate) fn end(&self, whole: bool) {
        // One that was broken off.
        self.end_test(false);
        self.outside.end(whole);
        self.shelf.file_ended(&self.file, whole);
    }
}
