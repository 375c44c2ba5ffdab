//! A file that is run, as recordings see it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

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
