//! The declarations of the language that the type checker reads, and nothing of a browser: ES2022 for the code of models, what
//! came after it for prompt files.
//!
//! Owns: which of tsr's declaration files are in the binary. Must not know: what is checked against them.

use std::sync::Arc;

use tsr_bundled::{LIB_PATH, LIBRARIES};
use tsr_jsstring::JsString;
use tsr_vfs::{Entries, Error, FileContent, FileInfo, FileSystem, SnapshotId};

/// Where the files are, as seen by the checker.
pub(crate) const FOLDER: &[u8] = LIB_PATH;

/// The file that names all others, for the code of models.
pub(super) const ROOT: &str = "lib.es2022.d.ts";

/// What the engine of prompt files has: the files that name all others.
pub(crate) const ENGINE_ROOTS: [&str; 7] = [
    "lib.es2025.d.ts",
    "lib.esnext.array.d.ts",
    "lib.esnext.collection.d.ts",
    "lib.esnext.disposable.d.ts",
    "lib.esnext.error.d.ts",
    "lib.esnext.sharedmemory.d.ts",
    "lib.esnext.typedarrays.d.ts",
];

/// What browsers and others offer, and what the engine lacks: three quarters of what tsr bundles.
const LEFT_OUT: [&str; 6] =
    ["lib.dom.", "lib.esnext.temporal.", "lib.esnext.date.", "lib.esnext.intl.", "lib.scripthost.", "lib.webworker."];

type File = (&'static str, &'static [u8]);

/// Chosen while lmthing is compiled, so that tsr's own list, which nothing else refers to, stays out of the binary.
static KEPT: [File; count()] = kept();

const fn count() -> usize {
    let (mut index, mut count) = (0, 0);
    while index < LIBRARIES.len() {
        count += is_kept(LIBRARIES[index].0) as usize;
        index += 1;
    }
    count
}

const fn kept() -> [File; count()] {
    let mut files: [File; count()] = [("", &[]); count()];
    let (mut index, mut next) = (0, 0);
    while index < LIBRARIES.len() {
        if is_kept(LIBRARIES[index].0) {
            files[next] = LIBRARIES[index];
            next += 1;
        }
        index += 1;
    }
    files
}

const fn is_kept(name: &str) -> bool {
    let mut index = 0;
    while index < LEFT_OUT.len() {
        if starts_with(name.as_bytes(), LEFT_OUT[index].as_bytes()) {
            return false;
        }
        index += 1;
    }
    true
}

/// `<[u8]>::starts_with` is not for constants yet.
const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let mut index = 0;
    while index < start.len() && index < text.len() && text[index] == start[index] {
        index += 1;
    }
    index == start.len()
}

/// The files to check, with the library beside them.
pub(crate) struct WithLibrary<Files> {
    /// The files to check.
    pub(crate) files: Files,
}

/// The library file of this path.
fn library(path: &[u8]) -> Option<&'static File> {
    let name = path.strip_prefix(FOLDER)?.strip_prefix(b"/")?;
    KEPT.iter().find(|file| file.0.as_bytes() == name)
}

fn is_in_library(path: &[u8]) -> bool {
    path.starts_with(FOLDER)
}

impl<Files: FileSystem> FileSystem for WithLibrary<Files> {
    fn use_case_sensitive_file_names(&self) -> bool {
        self.files.use_case_sensitive_file_names()
    }

    fn snapshot_id(&self) -> Option<SnapshotId> {
        self.files.snapshot_id()
    }

    fn read_file(&self, path: &[u8]) -> Result<Option<FileContent>, Error> {
        if is_in_library(path) {
            return Ok(library(path).map(|file| FileContent::loaded(Arc::<[u8]>::from(file.1))));
        }
        self.files.read_file(path)
    }

    fn stat(&self, path: &[u8]) -> Result<Option<FileInfo>, Error> {
        if path == FOLDER {
            return Ok(Some(FileInfo::basic(true, 0)));
        }
        if is_in_library(path) {
            return Ok(library(path).map(|file| FileInfo::basic(false, file.1.len() as u64)));
        }
        self.files.stat(path)
    }

    /// Nothing looks for library files by listing them.
    fn entries(&self, path: &[u8]) -> Result<Entries, Error> {
        if is_in_library(path) { Ok(Entries::default()) } else { self.files.entries(path) }
    }

    fn realpath(&self, path: &[u8]) -> Result<JsString, Error> {
        if is_in_library(path) { Ok(JsString::from_bytes(path)) } else { self.files.realpath(path) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_is_referred_to_is_there() {
        let mut wanted: Vec<String> = ENGINE_ROOTS.map(str::to_owned).into();
        wanted.push(ROOT.to_owned());
        let mut seen = 0;
        while let Some(name) = wanted.pop() {
            let file = KEPT.iter().find(|file| file.0 == name).unwrap_or_else(|| panic!("{name} is left out"));
            let text = std::str::from_utf8(file.1).unwrap();
            let references =
                text.lines().filter_map(|line| line.strip_prefix("/// <reference lib=\"")?.split_once('"'));
            wanted.extend(references.map(|(name, _)| format!("lib.{name}.d.ts")));
            seen += 1;
        }
        assert!(seen > 40);
    }
}
