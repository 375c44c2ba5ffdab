//! The recordings of one file that is run: which of its tests is running, and what its own engine asks. Must not know what is
//! recorded.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use super::{
    Mode, Shelf,
    door::{Door, Source},
    for_test::TestRecordings,
};
use crate::{provider::Redactor, script::bindings::Exchanges};

/// What comes behind the name of a test file; a prompt file with a smoke test has none of it.
const TEST: &str = ".test.lmt";

/// A file that is run.
pub(super) struct TestedFile {
    pub(super) path: Arc<Path>,
    /// What a person calls it.
    pub(super) shown: PathBuf,
    /// The recording of what it asks itself.
    pub(super) own: PathBuf,
    /// Whether it is a prompt file with a smoke test.
    pub(super) is_prompt: bool,
}

impl TestedFile {
    pub(super) fn new(file: &Path, shown: &Path) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = name.rfind(".lmt.").map_or(&*name, |end| &name[..end]);
        let path: Arc<Path> = file.canonicalize().unwrap_or_else(|_| file.to_owned()).into();
        let own = path.with_file_name(format!("{stem}.recording.json"));
        TestedFile { path, shown: shown.to_owned(), own, is_prompt: !name.contains(TEST) }
    }
}

/// The recordings of one file, for the thread that runs it.
pub(crate) struct FileRecordings {
    pub(super) shelf: Arc<Shelf>,
    file: Rc<TestedFile>,
    /// Whatever asks outside of any test: `beforeAll`, the file's top level.
    outside: Rc<TestRecordings>,
    current: RefCell<Rc<TestRecordings>>,
}

impl FileRecordings {
    pub(super) fn new(shelf: Arc<Shelf>, file: TestedFile) -> Rc<Self> {
        let file = Rc::new(file);
        let outside = TestRecordings::new(shelf.clone(), file.clone(), 0);
        Rc::new(FileRecordings { shelf, file, current: RefCell::new(outside.clone()), outside })
    }

    /// For the engine of the test file itself, where `runPrompt` and the judge of `toSatisfy` ask: `NAME.test.recording.json`
    /// beside `NAME.test.lmt.mjs`. Each request counts for the test that is running then.
    pub(crate) fn own(self: &Rc<Self>, redactor: &Redactor) -> Exchanges {
        match self.shelf.mode {
            Mode::Live => Exchanges::Live,
            _ => Door::exchanges(Source::Own(self.clone()), redactor),
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
