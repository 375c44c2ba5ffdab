//! The declarations of the language for the type checker, without those of browsers: ES2022 for model-written code,
//! later versions for prompt files.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, LazyLock};

use flate2::read::DeflateDecoder;
use tsr_bundled::LIB_PATH;
use tsr_jsstring::JsString;
use tsr_vfs::{Entries, Error, FileContent, FileInfo, FileSystem, SnapshotId};

pub const FOLDER: &[u8] = LIB_PATH;

/// The root file for model-written code, which references the others.
pub(super) const ROOT: &str = "lib.es2022.d.ts";

/// The root files for prompt files, as far as the engine supports them.
pub const ENGINE_ROOTS: [&str; 7] = [
    "lib.es2025.d.ts",
    "lib.esnext.array.d.ts",
    "lib.esnext.collection.d.ts",
    "lib.esnext.disposable.d.ts",
    "lib.esnext.error.d.ts",
    "lib.esnext.sharedmemory.d.ts",
    "lib.esnext.typedarrays.d.ts",
];

use lmthing_data::LIBRARY as ARCHIVE;

type Library = HashMap<&'static str, Arc<[u8]>>;

/// The files that `runtime-js/library.mjs` selects.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| read(ARCHIVE).expect("build.rs wrote it"));

/// The archive begins with the length of its table, whose lines are a file's name and length; the compressed texts
/// follow.
fn read(archive: &'static [u8]) -> Option<Library> {
    let (length, rest) = archive.split_first_chunk::<4>()?;
    let (lines, compressed) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut texts = Vec::new();
    DeflateDecoder::new(compressed).read_to_end(&mut texts).ok()?;
    let (mut library, mut texts) = (Library::new(), texts.as_slice());
    for line in std::str::from_utf8(lines).ok()?.lines() {
        let (name, length) = line.split_once(' ')?;
        let (text, others) = texts.split_at_checked(length.parse().ok()?)?;
        library.insert(name, text.into());
        texts = others;
    }
    Some(library)
}

/// A file system with the library added.
pub struct WithLibrary<Files> {
    pub files: Files,
}

fn library(path: &[u8]) -> Option<&'static Arc<[u8]>> {
    let name = path.strip_prefix(FOLDER)?.strip_prefix(b"/")?;
    LIBRARY.get(std::str::from_utf8(name).ok()?)
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
            return Ok(library(path).map(|text| FileContent::loaded(text.clone())));
        }
        self.files.read_file(path)
    }

    fn stat(&self, path: &[u8]) -> Result<Option<FileInfo>, Error> {
        if path == FOLDER {
            return Ok(Some(FileInfo::basic(true, 0)));
        }
        if is_in_library(path) {
            return Ok(library(path).map(|text| FileInfo::basic(false, text.len() as u64)));
        }
        self.files.stat(path)
    }

    /// The checker does not list library files.
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
    fn every_referenced_file_exists() {
        let mut wanted: Vec<String> = ENGINE_ROOTS.map(str::to_owned).into();
        wanted.push(ROOT.to_owned());
        let mut seen = 0;
        while let Some(name) = wanted.pop() {
            let text = LIBRARY.get(name.as_str()).unwrap_or_else(|| panic!("{name} is left out"));
            let text = std::str::from_utf8(text).unwrap();
            let references =
                text.lines().filter_map(|line| line.strip_prefix("/// <reference lib=\"")?.split_once('"'));
            wanted.extend(references.map(|(name, _)| format!("lib.{name}.d.ts")));
            seen += 1;
        }
        assert!(seen > 40);
    }
}
