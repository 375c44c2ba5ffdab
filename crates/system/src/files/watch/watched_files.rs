//! The files of a run with their current states and those that the run has seen.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::prompt_file_set::{PromptFileSet, prompt_files_below};

/// The limit of followed links in one path, as in the kernel.
const MAX_LINKS: usize = 40;

/// The state of a file; `None` if it does not exist.
pub(super) type FileState = Option<FileStamp>;

/// An existing file or folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileStamp {
    /// The real path: the same content elsewhere imports other files.
    path: PathBuf,
    /// Modification time in nanoseconds since 1970; for a folder of prompt files, a hash of their names.
    changed: u64,
    /// The length in bytes, or the number of prompt files.
    length: u64,
    /// The inode, which differs for a file that replaces another.
    number: u64,
}

pub(super) fn state_of(file: &Path) -> FileState {
    PathWalk::new(Path::new("")).state(file)
}

/// The current state of the prompt files below a folder, and the folders that determine it.
pub(super) fn state_below(folder: &Path) -> (FileState, BTreeSet<PathBuf>) {
    let (tree, folders) = prompt_files_below(folder);
    let state =
        tree.map(|PromptFileSet { path, names, count }| FileStamp { path, changed: names, length: count, number: 0 });
    (state, folders)
}

pub(super) struct WatchedFiles {
    /// The working directory, which is assumed not to move.
    directory: PathBuf,
    watched: IndexMap<PathBuf, WatchedFile>,
    /// Folders whose prompt files count.
    trees: IndexMap<PathBuf, WatchedFile>,
}

struct WatchedFile {
    /// The state that the run has seen.
    known: FileState,
    /// The state at the last check.
    latest: FileState,
}

pub(super) struct CheckResult {
    /// A state has changed since the last check.
    pub(super) is_new: bool,
    /// The folders that determine the states.
    pub(super) folders: BTreeSet<PathBuf>,
}

impl WatchedFiles {
    pub(super) fn new(directory: PathBuf) -> Self {
        WatchedFiles { directory, watched: IndexMap::new(), trees: IndexMap::new() }
    }

    /// Adds a file of which the run has seen the state `known`. The first state of a file counts.
    pub(super) fn add(&mut self, file: PathBuf, known: FileState) {
        self.watched.entry(file).or_insert_with(|| WatchedFile { latest: known.clone(), known });
    }

    pub(super) fn add_tree(&mut self, folder: PathBuf, known: FileState) {
        self.trees.entry(folder).or_insert_with(|| WatchedFile { latest: known.clone(), known });
    }

    /// Sets the state of a file that the run itself has written.
    pub(super) fn set(&mut self, file: PathBuf, known: FileState) {
        let place = self.watched.entry(file).or_insert_with(|| WatchedFile { latest: None, known: None });
        place.latest.clone_from(&known);
        place.known = known;
    }

    pub(super) fn check(&mut self) -> CheckResult {
        let mut walk = PathWalk::new(&self.directory);
        let mut is_new = false;
        for (file, place) in &mut self.watched {
            let state = walk.state(file);
            is_new |= state != place.latest;
            place.latest = state;
        }
        let mut folders = walk.folders;
        for (folder, place) in &mut self.trees {
            let (state, below) = state_below(folder);
            is_new |= state != place.latest;
            place.latest = state;
            folders.extend(below);
        }
        CheckResult { is_new, folders }
    }

    /// The name of the first changed file.
    pub(super) fn changed(&self) -> Option<String> {
        let Some((file, place)) = self.watched.iter().find(|(_, place)| place.known != place.latest) else {
            let (folder, _) = self.trees.iter().find(|(_, place)| place.known != place.latest)?;
            let folder = if *folder == self.directory { "this folder".to_owned() } else { self.shown(folder) };
            return Some(format!("what is in {folder}"));
        };
        // A path with `..` is hard to read.
        let has_way_up = file.components().any(|part| part == std::path::Component::ParentDir);
        let real = place.latest.as_ref().filter(|_| has_way_up).map(|stamp| stamp.path.as_path());
        Some(self.shown(real.unwrap_or(file)))
    }

    pub(super) fn all_changed(&self) -> Vec<PathBuf> {
        let all = self.watched.iter().chain(&self.trees);
        all.filter(|(_, place)| place.known != place.latest).map(|(path, _)| path.clone()).collect()
    }

    /// Whether a file is missing, perhaps because it is being replaced.
    pub(super) fn is_file_missing(&self) -> bool {
        self.watched.values().any(|place| place.known.is_some() && place.latest.is_none())
    }

    /// Accepts the current states as seen.
    pub(super) fn accept(&mut self) {
        self.watched.values_mut().chain(self.trees.values_mut()).for_each(|place| place.known = place.latest.clone());
    }

    /// The path relative to the working directory, where possible.
    pub(super) fn shown(&self, file: &Path) -> String {
        let inside = file.strip_prefix(&self.directory).ok().filter(|inside| !inside.as_os_str().is_empty());
        inside.unwrap_or(file).display().to_string()
    }
}

/// What a prefix of a path refers to.
#[derive(Clone)]
enum PathEntry {
    Missing,
    Link(PathBuf),
    Folder(FileStamp),
    File(FileStamp),
    /// A pipe or a device, which has no state.
    Other,
}

/// Resolves paths, with a cache of their prefixes.
struct PathWalk<'a> {
    directory: &'a Path,
    steps: HashMap<PathBuf, PathEntry>,
    folders: BTreeSet<PathBuf>,
}

impl<'a> PathWalk<'a> {
    fn new(directory: &'a Path) -> Self {
        PathWalk { directory, steps: HashMap::new(), folders: BTreeSet::new() }
    }

    /// The state of `file`. Records each folder in which a part of the path could be replaced.
    fn state(&mut self, file: &Path) -> FileState {
        let mut rest = parts(file);
        let mut real = PathBuf::new();
        let (mut state, mut folders, mut links) = (None, Vec::new(), 0);
        while let Some(part) = rest.pop() {
            if part == ".." {
                real.pop();
                continue;
            }
            let next = real.join(&part);
            if next.parent().is_none() {
                real = next;
                continue;
            }
            let step = self.step(&next);
            // The path to the working directory and the entries of the root folder are assumed not to change.
            if !matches!(&step, PathEntry::Folder(_) if self.directory.starts_with(&next) || real.parent().is_none()) {
                folders.push(real.clone());
            }
            match step {
                PathEntry::Missing => break,
                PathEntry::Link(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        break;
                    }
                    rest.extend(parts(&target));
                    continue;
                }
                PathEntry::Folder(stamp) if rest.is_empty() => {
                    folders.push(next);
                    state = Some(stamp);
                    break;
                }
                PathEntry::File(stamp) if rest.is_empty() => state = Some(stamp),
                PathEntry::Folder(_) => {}
                // A path through a file does not exist.
                PathEntry::File(_) => break,
                PathEntry::Other => return None,
            }
            real = next;
        }
        self.folders.extend(folders);
        state
    }

    fn step(&mut self, path: &Path) -> PathEntry {
        if let Some(step) = self.steps.get(path) {
            return step.clone();
        }
        let step = step(path);
        self.steps.insert(path.to_owned(), step.clone());
        step
    }
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    path.components().rev().map(|part| part.as_os_str().to_owned()).filter(|part| part != ".").collect()
}

fn step(path: &Path) -> PathEntry {
    // Their files are generated on access, differently for each process.
    if ["/proc", "/sys"].iter().any(|folder| Path::new(folder) == path) {
        return PathEntry::Other;
    }
    let Ok(metadata) = fs::symlink_metadata(path) else { return PathEntry::Missing };
    let kind = metadata.file_type();
    if kind.is_symlink() {
        return fs::read_link(path).map_or(PathEntry::Missing, PathEntry::Link);
    }
    let stamp = FileStamp {
        path: path.to_owned(),
        changed: changed(&metadata),
        length: metadata.len(),
        number: number(&metadata),
    };
    match (kind.is_dir(), kind.is_file()) {
        (true, _) => PathEntry::Folder(stamp),
        (_, true) => PathEntry::File(stamp),
        _ => PathEntry::Other,
    }
}

fn changed(metadata: &Metadata) -> u64 {
    let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    time.and_then(|time| u64::try_from(time.as_nanos()).ok()).unwrap_or_default()
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number(_metadata: &Metadata) -> u64 {
    0
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// The folders that determine a state, relative to `top`.
    fn folders(directory: &str, top: &Path, file: &str) -> (bool, Vec<String>) {
        let mut watched = WatchedFiles::new(top.join(directory));
        watched.add(top.join(file), None);
        let result = watched.check();
        let inside = result.folders.iter().filter_map(|folder| folder.strip_prefix(top).ok());
        (result.is_new, inside.map(|folder| folder.display().to_string()).collect())
    }

    #[test]
    fn every_folder_counts_in_which_a_step_could_be_replaced() {
        let top = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(top.path()).unwrap();
        fs::create_dir_all(top.join("work/lib/inner")).unwrap();
        fs::create_dir_all(top.join("store/p1")).unwrap();
        fs::write(top.join("work/lib/inner/x.mjs"), "").unwrap();
        fs::write(top.join("store/p1/y.mjs"), "").unwrap();
        symlink("../store/p1", top.join("work/p")).unwrap();
        symlink("round", top.join("work/round")).unwrap();
        for (file, is_there, expected) in [
            ("work/lib/inner/x.mjs", true, &["work", "work/lib", "work/lib/inner"][..]),
            ("work/p/y.mjs", true, &["", "store", "store/p1", "work"]),
            ("work/p/../p1/y.mjs", true, &["", "store", "store/p1", "work"]),
            ("work/p/gone/deep/z.mjs", false, &["", "store", "store/p1", "work"]),
            ("work/lib/inner/x.mjs/z.mjs", false, &["work", "work/lib", "work/lib/inner"]),
            ("work/round/z.mjs", false, &["work"]),
            ("work/lib", true, &["work", "work/lib"]),
        ] {
            let expected = expected.iter().map(|&folder| folder.to_owned()).collect();
            assert_eq!(folders("work", &top, file), (is_there, expected), "{file}");
        }
    }

    #[test]
    fn files_without_state_never_exist() {
        for file in ["/dev/null", "/dev/stdin", "/proc/self/status", "/proc/uptime"] {
            assert_eq!(state_of(Path::new(file)), None, "{file}");
        }
    }
}
