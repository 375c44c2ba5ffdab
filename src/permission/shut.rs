//! Files that no right opens: those with keys, and what lmthing keeps of the run. Each is known by where it is and by what it
//! is, so that no new name opens it. Must not know rights.

use std::{
    collections::VecDeque,
    fs::{self, File, Metadata},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::paths;

/// So many entries of folders are looked at for files with keys.
const MAX_ENTRIES: usize = 20_000;

/// What a file is, whatever it is called.
type Identity = (u64, u64);

/// So many of them are followed wherever they are moved.
const MAX_FOLLOWED: usize = 200;

/// Files that stay shut.
#[derive(Debug, Default)]
pub struct ShutFiles {
    named: Vec<ShutFile>,
    /// Every `.env` in the folders that programs may use, as they were before the first of them ran.
    found: OnceLock<Vec<ShutFile>>,
}

#[derive(Debug)]
struct ShutFile {
    /// Its real path, also where there is nothing yet.
    path: PathBuf,
    /// What was there at the beginning, if anything was.
    identity: Option<Identity>,
    /// How many names it had then.
    names: u64,
    /// The same, open: the system tells where it is now. A program may move it, though it cannot read it.
    file: Option<File>,
    why: &'static str,
    /// Whether files beside it whose names begin alike belong to it.
    has_companions: bool,
}

/// Why a file with keys is not opened.
const KEYS: &str = "it may hold keys";

impl ShutFiles {
    /// Files with keys, as they are now.
    pub fn with_keys(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut files = ShutFiles::default();
        paths.into_iter().for_each(|path| files.add(&path, KEYS, false));
        files
    }

    /// The journal, which says with which rights a run goes on, and the files that a database has beside it.
    #[must_use]
    pub fn and_journal(mut self, path: &Path) -> Self {
        self.add(path, "it is the journal", true);
        self
    }

    fn add(&mut self, path: &Path, why: &'static str, has_companions: bool) {
        let real = paths::real(path, paths::Last::Followed);
        self.named.extend(real.map(|path| ShutFile::new(path, why, has_companions)));
    }

    /// Why what is at a real path is not opened, if it is not.
    pub(super) fn why(&self, real: &Path) -> Option<&'static str> {
        if is_env_file(real) || paths::tells_of_processes(real) {
            return Some(KEYS);
        }
        let now = fs::metadata(real).ok().as_ref().and_then(identity);
        self.known().find(|file| file.is_at(real) || file.is(now)).map(|file| file.why)
    }

    /// The same of a file that is open by now.
    pub(super) fn why_opened(&self, file: &File) -> Option<&'static str> {
        let now = file.metadata().ok().as_ref().and_then(identity);
        self.known().find(|file| file.is(now)).map(|file| file.why)
    }

    fn known(&self) -> impl Iterator<Item = &ShutFile> {
        self.named.iter().chain(self.found.get().into_iter().flatten())
    }

    /// One that was given another name, such as by a program, which needs no right to read it for that.
    pub(super) fn newly_linked(&self) -> Option<&Path> {
        self.known().find(|file| file.names_now() > file.names).map(|file| file.path.as_path())
    }

    /// Whether one of them is below a folder: whoever moved that would move it too.
    pub(super) fn are_below(&self, folder: &Path) -> bool {
        let is_below = |path: PathBuf| path != folder && path.starts_with(folder);
        self.named.iter().flat_map(ShutFile::places).any(is_below) || folder.is_dir() && has_env_file(folder)
    }

    /// Where those are that exist, with every `.env` in the folders. They are looked for once: what comes later was made by
    /// the script or its programs.
    pub(super) fn found(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let look = || {
            let found = env_files(folders).into_iter().take(MAX_FOLLOWED);
            found.map(|path| ShutFile::new(path, KEYS, false)).collect()
        };
        self.found.get_or_init(look);
        self.known().flat_map(ShutFile::places).collect()
    }
}

impl ShutFile {
    fn new(path: PathBuf, why: &'static str, has_companions: bool) -> Self {
        let (identity, file) = (identity_at(&path), followed(&path));
        let mut shut = ShutFile { path, identity, names: 0, file, why, has_companions };
        shut.names = shut.names_now();
        shut
    }

    /// How many names the file has that was there at the beginning.
    fn names_now(&self) -> u64 {
        let metadata = match &self.file {
            Some(file) => file.metadata().ok(),
            None => fs::metadata(&self.path).ok(),
        };
        metadata.as_ref().filter(|metadata| identity(metadata) == self.identity).map_or(0, names)
    }

    /// Where it is: where it was, if there is something, and where it was moved to.
    fn places(&self) -> impl Iterator<Item = PathBuf> {
        let now = self.file.as_ref().and_then(paths::of_open).filter(|now| *now != self.path);
        std::iter::once(self.path.clone()).chain(now).filter(|path| path.exists())
    }

    fn is_at(&self, real: &Path) -> bool {
        let is_beside = || {
            let name = |path: &Path| path.file_name().map(|name| name.as_encoded_bytes().to_vec());
            let begins_alike = name(real).zip(name(&self.path)).is_some_and(|(name, own)| name.starts_with(&own));
            self.has_companions && begins_alike && real.parent() == self.path.parent()
        };
        self.path == real || is_beside()
    }

    fn is(&self, identity: Option<Identity>) -> bool {
        identity.is_some() && (self.identity == identity || identity_at(&self.path) == identity)
    }
}

/// Holds a file without opening it for anything.
fn followed(path: &Path) -> Option<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags};
        rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok().map(File::from)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}

/// Whether a file is one with variables, by its name.
pub(super) fn is_env_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".env"))
}

fn identity_at(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().as_ref().and_then(identity)
}

/// What a file is; nothing of a folder, or where the system does not tell.
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

/// How many names a file has; 1 where the system does not tell.
fn names(metadata: &Metadata) -> u64 {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::nlink(metadata)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        1
    }
}

/// Whether there is a `.env` in a folder or below it, as far as there are not too many files; a link is not followed.
fn has_env_file(folder: &Path) -> bool {
    !folder.is_symlink() && !is_of_others(folder) && !env_files(&[folder.to_owned()]).is_empty()
}

/// Every `.env` in the folders and below them, those nearest to the top first, as far as there are not too many files.
fn env_files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut ahead: VecDeque<PathBuf> = folders.iter().cloned().collect();
    let mut left = MAX_ENTRIES;
    while let Some(folder) = ahead.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if left == 0 {
                return found;
            }
            left -= 1;
            let path = entry.path();
            if is_env_file(&path) {
                found.push(path);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_of_others(&path) {
                ahead.push_back(path);
            }
        }
    }
    found
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
        let shut = ShutFiles::with_keys([root.join("sub/keys.txt")]).and_journal(&root.join("journal.db"));
        fs::create_dir(root.join("free")).unwrap();
        assert!(["", "sub", "sub/below"].iter().all(|folder| shut.are_below(&root.join(folder))));
        assert!(!shut.are_below(&root.join("free")) && !shut.are_below(&root.join("sub/keys.txt")));
        assert_eq!(shut.found(std::slice::from_ref(&root)), [root.join("sub/keys.txt"), root.join("sub/below/.ENV")]);
        assert_eq!(shut.newly_linked(), None);
        fs::hard_link(root.join("sub/keys.txt"), root.join("other")).unwrap();
        assert_eq!(shut.newly_linked(), Some(root.join("sub/keys.txt").as_path()));
        fs::rename(root.join("sub"), root.join("moved")).unwrap();
        assert!(shut.are_below(&root.join("moved")));
        for name in ["other", "moved/keys.txt", "sub/keys.txt", "any/.env", "journal.db", "journal.db-wal"] {
            assert!(shut.why(&root.join(name)).is_some(), "{name}");
        }
        assert_eq!(shut.why(&root.join("journal")), None);
        let opened = File::open(root.join("other")).unwrap();
        assert_eq!(shut.why_opened(&opened), Some(KEYS));
    }
}
