//! Protected files, which no right opens: those with keys, and those that lmthing trusts. Each is recognized by its path, by its
//! name (`names`) and by its inode, so that a link to it opens nothing.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet, VecDeque},
    fs::{self, File, Metadata},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::{
    names::{self, JOURNAL, KEYS, NAMED, Shut},
    paths,
};

/// How many entries of folders are searched before a script starts that may start programs. Folders behind these are closed to
/// programs.
const MAX_ENTRIES: usize = 300_000;

/// How many are searched before a folder is moved or removed. With more, that is refused.
const MAX_ENTRIES_MOVED: usize = 500_000;

/// Device and inode of a file.
type Identity = (u64, u64);

/// The protected files of a run.
#[derive(Debug, Default)]
pub struct ShutFiles {
    named: Vec<ShutPath>,
    /// Folders in which lmthing looks for its own files.
    looked_in: Vec<PathBuf>,
    /// What was found in the folders that programs may use, before the script started.
    found: OnceLock<Found>,
}

/// Folders with protected files; `true` if all of these may be read.
pub(super) type Folders = BTreeMap<PathBuf, bool>;

/// The result of a search for protected files.
#[derive(Debug, Default)]
struct Found {
    folders: Folders,
    /// Folders that were not searched: they cannot be listed, or the search was too long.
    unknown: Vec<PathBuf>,
}

/// The protected files as programs are restricted by them.
#[derive(Debug, Default)]
pub(super) struct ShutForPrograms {
    /// Protected paths; `true` if the path may be read.
    pub(super) paths: Vec<(PathBuf, bool)>,
    /// Folders of which programs only get the other entries.
    pub(super) folders: Folders,
}

/// A path that was named, with everything below it if it is a folder.
#[derive(Debug)]
struct ShutPath {
    /// The real path; the file need not exist.
    path: PathBuf,
    /// The file that was there when the run began.
    identity: Option<Identity>,
    shut: Shut,
}

impl ShutFiles {
    /// Protects files and folders with keys. A folder is protected with everything below it. Paths need not exist.
    pub fn with_keys(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut files = ShutFiles::default();
        paths.into_iter().for_each(|path| files.add(&path, KEYS));
        files
    }

    /// Protects the journal, and the files that SQLite keeps next to it.
    #[must_use]
    pub fn and_journal(mut self, path: &Path) -> Self {
        self.add(path, JOURNAL);
        self
    }

    /// Protects files from changes; they may be read.
    #[must_use]
    pub fn and_unchanged(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        paths.into_iter().for_each(|path| self.add(&path, NAMED));
        self
    }

    /// Adds folders in which lmthing looks for its own files, such as the working directory. The folders above are included.
    #[must_use]
    pub fn and_looked_in(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = folders.into_iter().filter_map(|folder| paths::real(&folder, paths::Last::Followed));
        self.looked_in.extend(real);
        // The target of a link with a protected name has another name.
        for folder in self.all_looked_in() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let shut = names::shut_name(&entry.file_name().to_string_lossy());
                if let Some(shut) = shut.filter(|_| entry.file_type().is_ok_and(|kind| kind.is_symlink())) {
                    self.add(&entry.path(), shut);
                }
            }
        }
        self
    }

    /// The folders in which lmthing looks for its own files, with all folders above.
    fn all_looked_in(&self) -> BTreeSet<PathBuf> {
        self.looked_in.iter().flat_map(|folder| folder.ancestors().map(Path::to_owned)).collect()
    }

    fn add(&mut self, path: &Path, shut: Shut) {
        let Some((real, links)) = paths::real_with_links(path, paths::Last::Followed) else { return };
        self.named.push(ShutPath { identity: identity_at(&real), path: real, shut });
        // Replacing a link on the way would lead to another file.
        self.named.extend(links.into_iter().map(|path| ShutPath { identity: None, path, shut: NAMED }));
    }

    /// Why a real path may not be read (or changed, with `is_change`); `None` if it is not protected.
    pub(super) fn why(&self, real: &Path, is_change: bool) -> Option<&'static str> {
        if paths::tells_of_processes(real) {
            return Some(KEYS.why);
        }
        let now = identity_at(real);
        let by_identity = self.named.iter().filter(|named| named.is(now)).map(|named| named.shut);
        // Missing folders may be created on the way.
        let made = real.ancestors().skip(1).take_while(|folder| is_change && !folder.exists());
        refused(self.at(real).chain(by_identity).chain(made.flat_map(|folder| self.at(folder))), is_change)
    }

    /// How a real path is protected.
    fn at<'a>(&'a self, real: &'a Path) -> impl Iterator<Item = Shut> + 'a {
        self.named.iter().filter(|named| named.is_at(real)).map(|named| named.shut).chain(names::shut(real))
    }

    /// The same of a file that is already open.
    pub(super) fn why_opened(&self, file: &File, is_change: bool) -> Option<&'static str> {
        let now = file.metadata().ok().as_ref().and_then(identity);
        refused(self.named.iter().filter(|named| named.is(now)).map(|named| named.shut), is_change)
    }

    /// Why a folder may not be moved, removed or replaced: there is a protected file below it.
    pub(super) fn why_below(&self, folder: &Path) -> Option<&'static str> {
        if self.named.iter().any(|named| named.path != folder && named.path.starts_with(folder)) {
            return Some("a protected file is below it");
        }
        let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
        let found = is_folder.then(|| look_through([folder.to_owned()], &HashSet::new(), MAX_ENTRIES_MOVED))?;
        match (found.folders.is_empty(), found.unknown.is_empty()) {
            (true, true) => None,
            (false, _) => Some("a protected file is below it"),
            (true, false) => Some("not everything below it can be searched for protected files"),
        }
    }

    /// What programs that may use these folders are restricted by. The folders are searched once, at the first call: files that appear
    /// later were created by the script or by its programs.
    pub(super) fn for_programs<'a>(&'a self, folders: impl Iterator<Item = &'a PathBuf>) -> ShutForPrograms {
        let look = || {
            let identities = self.named.iter().filter_map(|named| named.identity).collect();
            look_through(self.looked_in.iter().chain(folders).cloned(), &identities, MAX_ENTRIES)
        };
        let found = self.found.get_or_init(look);
        let mut folders: Folders = self.all_looked_in().into_iter().map(|folder| (folder, true)).collect();
        folders.extend(found.folders.clone());
        let with_companions =
            |named: &ShutPath| std::iter::once(named.path.clone()).chain(companions(named)).collect::<Vec<_>>();
        let of_one =
            |named: &'a ShutPath| with_companions(named).into_iter().map(|path| (path, named.shut.is_readable));
        let named = self.named.iter().flat_map(of_one);
        let unknown = found.unknown.iter().map(|folder| (folder.clone(), false));
        ShutForPrograms { paths: named.chain(unknown).collect(), folders }
    }
}

/// Why a path that leads through these links may not be read or changed: one of them has a protected name.
pub(super) fn why_link(links: &[PathBuf], is_change: bool) -> Option<&'static str> {
    refused(links.iter().filter_map(|link| names::shut(link)), is_change)
}

/// The reason of the first protection that forbids the access.
fn refused(mut all: impl Iterator<Item = Shut>, is_change: bool) -> Option<&'static str> {
    all.find(|shut| is_change || !shut.is_readable).map(|shut| shut.why)
}

impl ShutPath {
    fn is_at(&self, real: &Path) -> bool {
        real.starts_with(&self.path) || companions(self).any(|companion| companion == real)
    }

    fn is(&self, identity: Option<Identity>) -> bool {
        identity.is_some() && self.identity == identity
    }
}

/// The files that SQLite keeps next to a database, and lmthing next to recordings and results. Files with keys have none.
fn companions(named: &ShutPath) -> impl Iterator<Item = PathBuf> + use<> {
    const SUFFIXES: [&str; 6] = ["-wal", "-shm", "-journal", ".partial", ".new", ".lmthing"];
    let path = named.path.clone();
    let suffixes: &[&str] = if named.shut == KEYS { &[] } else { &SUFFIXES };
    suffixes.iter().map(move |suffix| {
        let mut companion = path.as_os_str().to_owned();
        companion.push(suffix);
        companion.into()
    })
}

/// Device and inode of what a path leads to, if it is a file.
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

/// Finds the folders, among these and all below, with a file that is protected by its name or is another name of one of these
/// files. Breadth first; links are not followed.
fn look_through(
    folders: impl IntoIterator<Item = PathBuf>,
    identities: &HashSet<Identity>,
    max_entries: usize,
) -> Found {
    let mut found = Found::default();
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
            let by_name = names::shut_name(&entry.file_name().to_string_lossy()).map(|shut| shut.is_readable);
            let is_linked = || is_one_of(&entry, identities).then_some(false);
            if let Some(is_readable) = by_name.or_else(is_linked) {
                *found.folders.entry(folder.clone()).or_insert(true) &= is_readable;
            }
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_of_others(&path) {
                ahead.push_back(path);
            }
        }
    }
    found
}

/// Whether an entry of a folder is one of these files.
#[cfg(unix)]
fn is_one_of(entry: &fs::DirEntry, identities: &HashSet<Identity>) -> bool {
    use std::os::unix::fs::DirEntryExt;
    // The inode stands in the folder itself: nothing has to be opened for the many others.
    let is_candidate = identities.iter().any(|(_, inode)| *inode == entry.ino());
    is_candidate && identity_at(&entry.path()).is_some_and(|found| identities.contains(&found))
}

#[cfg(not(unix))]
fn is_one_of(_entry: &fs::DirEntry, _identities: &HashSet<Identity>) -> bool {
    false
}

/// Whether a folder is not searched: packages, and the history of a repository.
fn is_of_others(folder: &Path) -> bool {
    folder.ends_with("node_modules") || folder.ends_with(".git")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_stays_shut_under_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("sub/below")).unwrap();
        fs::write(root.join("sub/keys.txt"), "key").unwrap();
        fs::write(root.join("sub/below/.ENV"), "key").unwrap();
        let named = [root.join("sub/keys.txt"), root.join("cloud"), root.join("gone/later.txt")];
        let shut = ShutFiles::with_keys(named).and_journal(&root.join("runs.db")).and_unchanged([root.join("prices")]);
        fs::create_dir(root.join("free")).unwrap();
        for folder in ["", "sub", "sub/below", "gone"] {
            assert!(shut.why_below(&root.join(folder)).is_some(), "{folder}");
        }
        assert!(shut.why_below(&root.join("free")).is_none() && shut.why_below(&root.join("sub/keys.txt")).is_none());
        let for_programs = shut.for_programs(std::iter::once(&root));
        assert_eq!(for_programs.folders, Folders::from([(root.join("sub"), false), (root.join("sub/below"), false)]));
        fs::hard_link(root.join("sub/keys.txt"), root.join("other")).unwrap();
        fs::rename(root.join("sub"), root.join("moved")).unwrap();
        assert!(shut.why_below(&root.join("moved")).is_some());
        for name in ["other", "moved/keys.txt", "sub/keys.txt", "any/.env", "runs.db", "runs.db-wal", "cloud/sso/x"] {
            assert!(shut.why(&root.join(name), false).is_some(), "{name}");
        }
        let prices = root.join("prices");
        assert!(shut.why(&prices, false).is_none() && shut.why(&prices, true).is_some());
        assert_eq!(shut.why(&root.join("runs"), true), None);
        let opened = File::open(root.join("other")).unwrap();
        assert_eq!(shut.why_opened(&opened, false), Some(KEYS.why));
    }
}
