//! The set of prompt files below a folder, as one state.

use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use super::super::search;

pub(super) struct PromptFileSet {
    pub(super) path: PathBuf,
    /// A hash of their paths.
    pub(super) names: u64,
    pub(super) count: u64,
}

/// The prompt files below a folder, if it exists, and the folders that determine them.
pub(super) fn prompt_files_below(folder: &Path) -> (Option<PromptFileSet>, BTreeSet<PathBuf>) {
    let around = folder.parent().map(Path::to_owned);
    let Ok(path) = fs::canonicalize(folder) else { return (None, around.into_iter().collect()) };
    let found = search::below(&path);
    let mut hasher = DefaultHasher::new();
    found.files.iter().for_each(|file| file.path.hash(&mut hasher));
    let count = u64::try_from(found.files.len()).unwrap_or_default();
    (Some(PromptFileSet { path, names: hasher.finish(), count }), found.folders.into_iter().collect())
}
