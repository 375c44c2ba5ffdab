//! Addresses of documents and the paths of their files.

use std::path::{Path, PathBuf};

use lmthing_system::files::{absolute, real_path, unsaved_path};
use url::Url;

/// The path of a `file:` address.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    Url::parse(uri).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok()
}

/// The path without links, also for a file that was never saved.
pub(crate) fn real(path: &Path) -> PathBuf {
    real_path(path).ok().or_else(|| unsaved_path(path)).unwrap_or_else(|| absolute(path))
}

pub(crate) fn uri_of(path: &Path) -> Option<String> {
    Url::from_file_path(path).ok().map(String::from)
}
