//! The prompt files below a folder, as one state: it changes when one comes or goes, whatever else happens there. Must not know who
//! waits for that.

use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use super::super::search;

/// What is below a folder.
pub(super) struct Tree {
    /// The folder, when all links are followed.
    pub(super) path: PathBuf,
    /// Which prompt files there are, as a number that differs from that of others.
    pub(super) names: u64,
    /// How many.
    pub(super) count: u64,
}

/// What is below a folder that is there, and the folders in which something has to happen before it is another.
pub(super) fn tree_of(folder: &Path) -> (Option<Tree>, BTreeSet<PathBuf>) {
    let around = folder.parent().map(Path::to_owned);
    let Ok(path) = fs::canonicalize(folder) else { return (None, around.into_iter().collect()) };
    let found = search::below(&path);
    let mut hasher = DefaultHasher::new();
    found.files.iter().for_each(|file| file.path.hash(&mut hasher));
    let count = u64::try_from(found.files.len()).unwrap_or_default();
    (Some(Tree { path, names: hasher.finish(), count }), found.folders.into_iter().collect())
}
