//! Files that no right opens: those with keys, and those that lmthing itself goes by. Each is known by its path, by its name
//! (`names`) and by its inode, so that another name for it opens nothing.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet, VecDeque},
    fs::{self, File, Metadata},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::{
    names::{self, JOURNAL, KEYS, NAMED, Shut},
    paths,
};

/// How many entries of folders are looked through before the first program starts.
const MAX_ENTRIES: usize = 20_000;

/// How many are looked through before a folder is moved or removed. It is refused when there are more.
const MAX_ENTRIES_MOVED: usize = 500_000;

/// Device and inode of a file.
type Identity = (u64, u64);

/// Files that stay shut.
#[derive(Debug, Default)]
pub struct ShutFiles {
    named: Vec<ShutPath>,
    /// Folders in which lmthing looks for files of its own, with all folders above them.
    looked_in: BTreeSet<PathBuf>,
    /// Folders with shut files among those that programs may use, as they were before the first program started.
    found: OnceLock<Folders>,
}

/// Folders that hold shut files, and whether all of these may be read.
pub(super) type Folders = BTreeMap<PathBuf, bool>;

/// What stays shut for a program, which nothing but the kernel checks.
#[derive(Debug, Default)]
pub(super) struct ShutForPrograms {
    /// Paths, and whether each may be read.
    pub(super) paths: Vec<(PathBuf, bool)>,
    /// Folders of which a program gets the entries that it may have, and not the folder as a whole.
    pub(super) folders: Folders,
}

/// A path that was named, with everything below it if it is a folder.
#[derive(Debug)]
struct ShutPath {
    /// Its real path, also where there is nothing yet.
    path: PathBuf,
    /// The file that was there when the run began.
    identity: Option<Identity>,
    shut: Shut,
}

impl ShutFiles {
    /// Files and folders with keys. A folder is shut with everything below it; what does not exist yet cannot be made.
    pub fn with_keys(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut files = ShutFiles::default();
        paths.into_iter().for_each(|path| files.add(&path, KEYS));
        files
    }

    /// Shuts the journal, and the files that SQLite keeps next to it.
    #[must_use]
    pub fn and_journal(mut self, path: &Path) -> Self {
        self.add(path, JOURNAL);
        self
    }

    /// Shuts files that lmthing goes by for changes; they may be read.
    #[must_use]
    pub fn and_unchanged(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        paths.into_iter().for_each(|path| self.add(&path, NAMED));
        self
    }

    /// Names folders in which lmthing looks for files of its own, such as the working directory: it looks in those above as well.
    #[must_use]
    pub fn and_looked_in(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = folders.into_iter().filter_map(|folder| paths::real(&folder, paths::Last::Followed));
        self.looked_in.extend(real.flat_map(|folder| folder.ancestors().map(Path::to_owned).collect::<Vec<_>>()));
        self
    }

    fn add(&mut self, path: &Path, shut: Shut) {
        let Some((real, links)) = paths::real_with_links(path, paths::Last::Followed) else { return };
        self.named.push(ShutPath { identity: identity_at(&real), path: real, shut });
        // Another link in the place of one of them would lead to another file.
        self.named.extend(links.into_iter().map(|path| ShutPath { identity: None, path, shut: NAMED }));
    }

    /// Why what is at a real path is not read or changed, if it is not.
    pub(super) fn why(&self, real: &Path, is_change: bool) -> Option<&'static str> {
        if paths::tells_of_processes(real) {
            return Some(KEYS.why);
        }
        let now = identity_at(real);
        let by_identity = self.named.iter().filter(|named| named.is(now)).map(|named| named.shut);
        // Folders that are not there may be made on the way.
        let made = real.ancestors().skip(1).take_while(|folder| is_change && !folder.exists());
        refused(self.at(real).chain(by_identity).chain(made.flat_map(|folder| self.at(folder))), is_change)
    }

    /// What holds for a real path.
    fn at<'a>(&'a self, real: &'a Path) -> impl Iterator<Item = Shut> + 'a {
        self.named.iter().filter(|named| named.is_at(real)).map(|named| named.shut).chain(names::shut(real))
    }

    /// The same of a file that is already open.
    pub(super) fn why_opened(&self, file: &File, is_change: bool) -> Option<&'static str> {
        let now = file.metadata().ok().as_ref().and_then(identity);
        refused(self.named.iter().filter(|named| named.is(now)).map(|named| named.shut), is_change)
    }

    /// Why a folder is not moved, removed or replaced: something below it is shut.
    pub(super) fn why_below(&self, folder: &Path) -> Option<&'static str> {
        if self.named.iter().any(|named| named.path != folder && named.path.starts_with(folder)) {
            return Some("a file that may hold keys, or the journal, is below it");
        }
        if !folder.is_dir() || folder.is_symlink() || is_of_others(folder) {
            return None;
        }
        match folders_with_shut_files(&[folder.to_owned()], &HashSet::new(), MAX_ENTRIES_MOVED) {
            Ok(found) if found.is_empty() => None,
            Ok(_) => Some("a file that lmthing goes by is below it"),
            Err(_) => Some("there is too much below it to look for files with keys"),
        }
    }

    /// What programs that may use these folders are kept from. Folders are looked through once: what appears later was
    /// made by the script or by its programs.
    pub(super) fn for_programs(&self, folders: &[PathBuf]) -> ShutForPrograms {
        let look = || {
            let identities = self.named.iter().filter_map(|named| named.identity).collect();
            folders_with_shut_files(folders, &identities, MAX_ENTRIES).unwrap_or_else(|found| found)
        };
        let found = self.found.get_or_init(look);
        let mut folders: Folders = self.looked_in.iter().map(|folder| (folder.clone(), true)).collect();
        folders.extend(found.clone());
        let paths = self.named.iter().map(|named| (named.path.clone(), named.shut.is_readable)).collect();
        ShutForPrograms { paths, folders }
    }
}

/// Why it is refused when these hold.
fn refused(mut all: impl Iterator<Item = Shut>, is_change: bool) -> Option<&'static str> {
    all.find(|shut| is_change || !shut.is_readable).map(|shut| shut.why)
}

impl ShutPath {
    fn is_at(&self, real: &Path) -> bool {
        real.starts_with(&self.path) || self.shut == JOURNAL && is_companion(real, &self.path)
    }

    fn is(&self, identity: Option<Identity>) -> bool {
        identity.is_some() && (self.identity == identity || identity_at(&self.path) == identity)
    }
}

/// Whether a file is one of those that SQLite keeps next to a database.
fn is_companion(real: &Path, database: &Path) -> bool {
    ["-wal", "-shm", "-journal"].iter().any(|suffix| {
        let mut path = database.as_os_str().to_owned();
        path.push(suffix);
        real.as_os_str() == path
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

/// The folders, of these and those below, that hold a file which is shut by its name, or which is one of these under another
/// name. Breadth first; links are not followed.
///
/// # Errors
/// What was found so far, when there are more entries than this.
fn folders_with_shut_files(
    folders: &[PathBuf],
    identities: &HashSet<Identity>,
    max_entries: usize,
) -> Result<Folders, Folders> {
    let mut found = Folders::new();
    let mut ahead: VecDeque<PathBuf> = folders.iter().cloned().collect();
    let mut left = max_entries;
    while let Some(folder) = ahead.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if left == 0 {
                return Err(found);
            }
            left -= 1;
            let by_name = names::shut_name(&entry.file_name().to_string_lossy()).map(|shut| shut.is_readable);
            let is_linked = || is_one_of(&entry, identities).then_some(false);
            if let Some(is_readable) = by_name.or_else(is_linked) {
                *found.entry(folder.clone()).or_insert(true) &= is_readable;
            }
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_of_others(&path) {
                ahead.push_back(path);
            }
        }
    }
    Ok(found)
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

/// Whether a folder holds what others have made: packages, or the history of a repository.
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
        let for_programs = shut.for_programs(std::slice::from_ref(&root));
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
