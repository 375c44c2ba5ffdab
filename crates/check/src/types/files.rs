//! The file system of the type checker: the disk, the edited copies of the author's files, and the embedded
//! declarations.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tsr_jsstring::JsString;
use tsr_vfs::{Entries, Error, FileContent, FileInfo, FileSystem, SnapshotId};

use super::compiler_options::is_own;
use super::imports::import_lookup;
use super::internal_modules;
use super::source::Source;
use crate::declarations;
use lmthing_base::parser::Language;
use lmthing_system::files::{is_source_file, read_source, real_path, unsaved_text};

/// The folders of the embedded declarations.
static FOLDERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let parents = |path: &'static str| Path::new(path).ancestors().skip(1).filter_map(Path::to_str);
    declarations::files().flat_map(parents).filter(|folder| folder.starts_with(declarations::ROOT)).collect()
});

/// A patch of undici's declarations: `response.json()` is `any`, as in browsers.
const JSON_OF_UNDICI: (&str, &str) = ("json: () => Promise<unknown>", "json: () => Promise<any>");

#[derive(Debug, Default)]
pub(super) struct Sources(Mutex<HashMap<PathBuf, Arc<Source>>>);

impl Sources {
    pub(super) fn add(&self, source: Arc<Source>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(source.path.clone(), source);
    }

    pub(super) fn get(&self, path: &Path) -> Option<Arc<Source>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<Source>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn load(&self, path: &Path) -> Option<Arc<Source>> {
        if let Some(known) = self.get(path) {
            return Some(known);
        }
        // Reached only by type imports, which are rare.
        let lookup = import_lookup();
        let source = Arc::new(Source::read(path, false, &lookup).ok()?);
        self.add(source.clone());
        Some(source)
    }
}

pub(super) struct CheckFileSystem {
    sources: Arc<Sources>,
    /// Identifies the state of the disk, which is taken as constant for the duration of one check.
    snapshot: Option<SnapshotId>,
}

impl CheckFileSystem {
    pub(super) fn new(sources: Arc<Sources>) -> Self {
        let empty = tsr_vfs::MemoryBuilder::new(b"/", true).finish();
        Self { sources, snapshot: empty.snapshot_id() }
    }
}

fn to_path(path: &[u8]) -> Option<&Path> {
    std::str::from_utf8(path).ok().map(Path::new)
}

/// The text of an embedded declaration: `None` for other paths, `Some(None)` if no such file exists.
fn built_in(path: &Path) -> Option<Option<&'static str>> {
    let below = path.strip_prefix(declarations::ROOT).ok()?;
    Some(internal_modules::text(below).or_else(|| path.to_str().and_then(declarations::read)))
}

impl FileSystem for CheckFileSystem {
    fn use_case_sensitive_file_names(&self) -> bool {
        true
    }

    fn snapshot_id(&self) -> Option<SnapshotId> {
        self.snapshot
    }

    fn read_file(&self, path: &[u8]) -> Result<Option<FileContent>, Error> {
        let Some(path) = to_path(path) else { return Ok(None) };
        let loaded = |text: &str| FileContent::loaded(Arc::<[u8]>::from(text.as_bytes()));
        if let Some(text) = built_in(path) {
            return Ok(text.map(loaded));
        }
        if is_own(path)
            && Language::of_file(path).is_some()
            && let Some(source) = self.sources.load(path)
        {
            return Ok(Some(loaded(source.edited.text())));
        }
        // Reading a pipe may block forever.
        if !is_source_file(path) {
            return Ok(None);
        }
        let Ok(bytes) = read_source(path) else { return Ok(None) };
        if path.ends_with("undici-types/fetch.d.ts") {
            let text = String::from_utf8_lossy(&bytes).replace(JSON_OF_UNDICI.0, JSON_OF_UNDICI.1);
            return Ok(Some(loaded(&text)));
        }
        Ok(Some(FileContent::physical(bytes)))
    }

    fn stat(&self, path: &[u8]) -> Result<Option<FileInfo>, Error> {
        let Some(path) = to_path(path) else { return Ok(None) };
        if let Some(text) = built_in(path) {
            let is_folder = || path.to_str().is_some_and(|path| FOLDERS.contains(path));
            return Ok(match text {
                Some(text) => Some(FileInfo::basic(false, text.len() as u64)),
                None => is_folder().then(|| FileInfo::basic(true, 0)),
            });
        }
        if let Some(text) = unsaved_text(path) {
            return Ok(Some(FileInfo::basic(false, text.len() as u64)));
        }
        Ok(std::fs::metadata(path).ok().map(|found| FileInfo::basic(found.is_dir(), found.len())))
    }

    fn entries(&self, path: &[u8]) -> Result<Entries, Error> {
        let Some(path) = to_path(path) else { return Ok(Entries::default()) };
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let list = if entry.path().is_dir() { &mut folders } else { &mut files };
            list.push(JsString::from_bytes(name.as_bytes()));
        }
        Ok(Entries { files: Some(files), directories: Some(folders), symlinks: None })
    }

    fn realpath(&self, path: &[u8]) -> Result<JsString, Error> {
        let real = to_path(path).filter(|path| !path.starts_with(declarations::ROOT));
        let real = real.and_then(|path| real_path(path).ok());
        Ok(JsString::from_bytes(real.as_deref().and_then(Path::to_str).map_or(path, str::as_bytes)))
    }
}
