//! Protected files, which no right applies to: those with keys, and those that lmthing trusts. A file is recognized by its path,
//! its name (`protected_names`) and its inode, so that links to it are protected as well.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet, VecDeque},
    fs::{self, File, Metadata},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::{
    paths,
    protected_names::{self, JOURNAL, KEYS, Protection, TRUSTED},
};

/// How many folder entries are searched before a script starts that may start programs. Programs have no access to the remaining
/// folders.
const MAX_ENTRIES: usize = 300_000;

/// How many entries are searched before a folder is moved or removed. With more, that is refused.
const MAX_ENTRIES_MOVED: usize = 500_000;

type Identity = (u64, u64);

#[derive(Debug, Default)]
pub struct ProtectedFiles {
    named: Vec<ProtectedPath>,
    search_folders: Vec<PathBuf>,
    /// What the search of the folders for programs found before the script started.
    found: OnceLock<SearchResult>,
}

/// Folders with protected files; `true` if all of these may be read.
pub(super) type Folders = BTreeMap<PathBuf, bool>;

#[derive(Debug, Default)]
struct SearchResult {
    folders: Folders,
    /// Folders that were not searched: they cannot be listed, or the limit was reached.
    unknown: Vec<PathBuf>,
}

/// The protected files in the form that restricts programs.
#[derive(Debug, Default)]
pub(super) struct ProgramExclusions {
    /// Protected paths; `true` if the path may be read.
    pub(super) paths: Vec<(PathBuf, bool)>,
    /// Folders in which programs may only use the other entries.
    pub(super) folders: Folders,
}

#[derive(Debug)]
struct ProtectedPath {
    path: PathBuf,
    /// The file at the path when the run began.
    identity: Option<Identity>,
    protected: Protection,
}

impl ProtectedFiles {
    /// Protects files and folders with keys, including everything below a folder. Paths need not exist.
    pub fn with_keys(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut files = ProtectedFiles::default();
        paths.into_iter().for_each(|path| files.add(&path, KEYS));
        files
    }

    /// Protects the journal, and the files that SQLite stores next to it.
    #[must_use]
    pub fn with_journal(mut self, path: &Path) -> Self {
        self.add(path, JOURNAL);
        self
    }

    /// Protects files from changes; they may be read.
    #[must_use]
    pub fn with_unchanged(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        paths.into_iter().for_each(|path| self.add(&path, TRUSTED));
        self
    }

    /// Adds folders in which lmthing looks for its own files, such as the working directory, and the folders above them.
    #[must_use]
    pub fn with_search_folders(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = folders.into_iter().filter_map(|folder| paths::real(&folder, paths::FinalLink::Followed));
        self.search_folders.extend(real);
        // The target of a link with a protected name has another name.
        for folder in self.all_search_folders() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let protected = protected_names::protection_by_name(&entry.file_name().to_string_lossy());
                if let Some(protected) = protected.filter(|_| entry.file_type().is_ok_and(|kind| kind.is_symlink())) {
                    self.add(&entry.path(), protected);
                }
            }
        }
        self
    }

    /// The folders in which lmthing looks for its own files, and all folders above them.
    fn all_search_folders(&self) -> BTreeSet<PathBuf> {
        self.search_folders.iter().flat_map(|folder| folder.ancestors().map(Path::to_owned)).collect()
    }

    fn add(&mut self, path: &Path, protected: Protection) {
        let Some((real, links)) = paths::real_with_links(path, paths::FinalLink::Followed) else { return };
        self.named.push(ProtectedPath { identity: identity_at(&real), path: real, protected });
        // Replacing a link in the path would lead to another file.
        self.named.extend(links.into_iter().map(|path| ProtectedPath { identity: None, path, protected: TRUSTED }));
    }

    /// Why a real path may not be read (or changed, with `is_change`); `None` if it is not protected.
    pub(super) fn reason(&self, real: &Path, is_change: bool) -> Option<&'static str> {
        if paths::exposes_process(real) {
            return Some(KEYS.reason);
        }
        let now = identity_at(real);
        let by_identity = self.named.iter().filter(|named| named.is(now)).map(|named| named.protected);
        // Missing folders may be created along the way.
        let made = real.ancestors().skip(1).take_while(|folder| is_change && !folder.exists());
        refused(self.at(real).chain(by_identity).chain(made.flat_map(|folder| self.at(folder))), is_change)
    }

    fn at<'a>(&'a self, real: &'a Path) -> impl Iterator<Item = Protection> + 'a {
        self.named
            .iter()
            .filter(|named| named.is_at(real))
            .map(|named| named.protected)
            .chain(protected_names::protection(real))
    }

    /// Like [`ProtectedFiles::reason`], for an open file.
    pub(super) fn reason_if_opened(&self, file: &File, is_change: bool) -> Option<&'static str> {
        let now = file.metadata().ok().as_ref().and_then(identity);
        refused(self.named.iter().filter(|named| named.is(now)).map(|named| named.protected), is_change)
    }

    /// Why a folder may not be moved, removed or replaced: there is a protected file below it.
    pub(super) fn reason_below(&self, folder: &Path) -> Option<&'static str> {
        if self.named.iter().any(|named| named.path != folder && named.path.starts_with(folder)) {
            return Some("a protected file is below it");
        }
        let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
        let found = is_folder.then(|| search([folder.to_owned()], &HashSet::new(), MAX_ENTRIES_MOVED))?;
        match (found.folders.is_empty(), found.unknown.is_empty()) {
            (true, true) => None,
            (false, _) => Some("a protected file is below it"),
            (true, false) => Some("not everything below it can be searched for protected files"),
        }
    }

    /// The restrictions for programs that may use these folders. The folders are searched once, at the first call: files that appear
    /// later were created by the script or by its programs.
    pub(super) fn for_programs<'a>(&'a self, folders: impl Iterator<Item = &'a PathBuf>) -> ProgramExclusions {
        let search_all = || {
            let identities = self.named.iter().filter_map(|named| named.identity).collect();
            search(self.search_folders.iter().chain(folders).cloned(), &identities, MAX_ENTRIES)
        };
        let found = self.found.get_or_init(search_all);
        let mut folders: Folders = self.all_search_folders().into_iter().map(|folder| (folder, true)).collect();
        folders.extend(found.folders.clone());
        let with_companions =
            |named: &ProtectedPath| std::iter::once(named.path.clone()).chain(companions(named)).collect::<Vec<_>>();
        let paths_of = |named: &'a ProtectedPath| {
            with_companions(named).into_iter().map(|path| (path, named.protected.is_readable))
        };
        let named = self.named.iter().flat_map(paths_of);
        let unknown = found.unknown.iter().map(|folder| (folder.clone(), false));
        ProgramExclusions { paths: named.chain(unknown).collect(), folders }
    }
}

/// Why a path through these links may not be read or changed: one of them has a protected name.
pub(super) fn link_reason(links: &[PathBuf], is_change: bool) -> Option<&'static str> {
    refused(links.iter().filter_map(|link| protected_names::protection(link)), is_change)
}

fn refused(mut all: impl Iterator<Item = Protection>, is_change: bool) -> Option<&'static str> {
    all.find(|protected| is_change || !protected.is_readable).map(|protected| protected.reason)
}

impl ProtectedPath {
    fn is_at(&self, real: &Path) -> bool {
        real.starts_with(&self.path) || companions(self).any(|companion| companion == real)
    }

    fn is(&self, identity: Option<Identity>) -> bool {
        identity.is_some() && self.identity == identity
    }
}

/// The files that SQLite stores next to a database, and lmthing next to recordings and results. Files with keys have none.
fn companions(named: &ProtectedPath) -> impl Iterator<Item = PathBuf> + use<> {
    const SUFFIXES: [&str; 6] = ["-wal", "-shm", "-journal", ".partial", ".new", ".lmthing"];
    let path = named.path.clone();
    let suffixes: &[&str] = if named.protected == KEYS { &[] } else { &SUFFIXES };
    suffixes.iter().map(move |suffix| {
        let mut companion = path.as_os_str().to_owned();
        companion.push(suffix);
        companion.into()
    })
}

pub(super) fn identity_at(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().as_ref().and_then(identity)
}

fn identity(metadata: &Metadata) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        metadata.is_file().then(|| (metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Finds the folders, among these and all below, with a file that is protected by its name or is a hard link to one of
/// `identities`. Breadth first; links are not followed.
fn search(
    folders: impl IntoIterator<Item = PathBuf>,
    identities: &HashSet<Identity>,
    max_entries: usize,
) -> SearchResult {
    let mut found = SearchResult::default();
    let mut ahead: VecDeque<PathBuf> = folders.into_iter().collect();
    let mut left = max_entries;
    while let Some(folder) = ahead.pop_front() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) if left > 0 => entries,
            // A file, or a path that does not exist.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Ok(_) | Err(_) => {
                found.unknown.push(folder);
                continue;
            }
        };
        for entry in entries.flatten() {
            left = left.saturating_sub(1);
            let by_name = protected_names::protection_by_name(&entry.file_name().to_string_lossy())
                .map(|protected| protected.is_readable);
            let is_linked = || is_link_to(&entry, identities).then_some(false);
            if let Some(is_readable) = by_name.or_else(is_linked) {
                *found.folders.entry(folder.clone()).or_insert(true) &= is_readable;
            }
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_skipped(&path) {
                ahead.push_back(path);
            }
        }
    }
    found
}

/// Whether an entry of a folder is one of these files.
#[cfg(unix)]
fn is_link_to(entry: &fs::DirEntry, identities: &HashSet<Identity>) -> bool {
    use std::os::unix::fs::DirEntryExt;
    // The entry has the inode, so only candidates need a lookup.
    let is_candidate = identities.iter().any(|(_, inode)| *inode == entry.ino());
    is_candidate && identity_at(&entry.path()).is_some_and(|found| identities.contains(&found))
}

#[cfg(not(unix))]
fn is_link_to(_entry: &fs::DirEntry, _identities: &HashSet<Identity>) -> bool {
    false
}

/// Whether a folder is not searched: packages, and the history of a repository.
fn is_skipped(folder: &Path) -> bool {
    folder.ends_with("node_modules") || folder.ends_with(".git")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_protected_under_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("sub/below")).unwrap();
        fs::write(root.join("sub/keys.txt"), "key").unwrap();
        fs::write(root.join("sub/below/.ENV"), "key").unwrap();
        let named = [root.join("sub/keys.txt"), root.join("cloud"), root.join("gone/later.txt")];
        let protected =
            ProtectedFiles::with_keys(named).with_journal(&root.join("runs.db")).with_unchanged([root.join("prices")]);
        fs::create_dir(root.join("free")).unwrap();
        for folder in ["", "sub", "sub/below", "gone"] {
            assert!(protected.reason_below(&root.join(folder)).is_some(), "{folder}");
        }
        assert!(
            protected.reason_below(&root.join("free")).is_none()
                && protected.reason_below(&root.join("sub/keys.txt")).is_none()
        );
        let for_programs = protected.for_programs(std::iter::once(&root));
        assert_eq!(for_programs.folders, Folders::from([(root.join("sub"), false), (root.join("sub/below"), false)]));
        fs::hard_link(root.join("sub/keys.txt"), root.join("other")).unwrap();
        fs::rename(root.join("sub"), root.join("moved")).unwrap();
        assert!(protected.reason_below(&root.join("moved")).is_some());
        for name in ["other", "moved/keys.txt", "sub/keys.txt", "any/.env", "runs.db", "runs.db-wal", "cloud/sso/x"] {
            assert!(protected.reason(&root.join(name), false).is_some(), "{name}");
        }
        let prices = root.join("prices");
        assert!(protected.reason(&prices, false).is_none() && protected.reason(&prices, true).is_some());
        assert_eq!(protected.reason(&root.join("runs"), true), None);
        let opened = File::open(root.join("other")).unwrap();
        assert_eq!(protected.reason_if_opened(&opened, false), Some(KEYS.reason));
    }
}
