//! The files that a run is made of, how each is, and how the run knows it. Must not know what wakes whoever looks.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::tree::{Tree, tree_of};

/// As many as the system follows in one path.
const MAX_LINKS: usize = 40;

/// What tells one state of a file from another. `None` when it is not there.
pub(super) type State = Option<There>;

/// A file or a folder that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct There {
    /// Where it is when all links are followed: the same content elsewhere imports other files.
    path: PathBuf,
    /// When it was changed, in nanoseconds since 1970; of a folder with all prompt files below, what these are, as a number.
    changed: u64,
    /// In bytes, or in prompt files.
    length: u64,
    /// Its number in the file system: a file that takes the place of another has one of its own.
    number: u64,
}

/// How a file is now.
pub(super) fn state_of(file: &Path) -> State {
    Walk::new(Path::new("")).state(file)
}

/// How the prompt files below a folder are now, and the folders in which something has to happen before that is different.
pub(super) fn state_below(folder: &Path) -> (State, BTreeSet<PathBuf>) {
    let (tree, folders) = tree_of(folder);
    let state = tree.map(|Tree { path, names, count }| There { path, changed: names, length: count, number: 0 });
    (state, folders)
}

/// What is waited for.
pub(super) struct Places {
    /// The working directory: it is taken to stay where it is.
    here: PathBuf,
    places: IndexMap<PathBuf, Place>,
    /// Folders of which all prompt files below count.
    trees: IndexMap<PathBuf, Place>,
}

struct Place {
    /// As the run knows it.
    known: State,
    /// As it was when somebody looked last.
    latest: State,
}

/// What a look at all places shows.
pub(super) struct Look {
    /// Something is not as it was the last time.
    pub(super) is_new: bool,
    /// The folders in which something has to happen before anything is different.
    pub(super) folders: BTreeSet<PathBuf>,
}

impl Places {
    pub(super) fn new(here: PathBuf) -> Self {
        Places { here, places: IndexMap::new(), trees: IndexMap::new() }
    }

    /// Waits for another file, of which the run knows the state `known`. The first state that is told counts.
    pub(super) fn add(&mut self, file: PathBuf, known: State) {
        self.places.entry(file).or_insert_with(|| Place { latest: known.clone(), known });
    }

    /// Waits for prompt files that come or go below a folder.
    pub(super) fn add_tree(&mut self, folder: PathBuf, known: State) {
        self.trees.entry(folder).or_insert_with(|| Place { latest: known.clone(), known });
    }

    /// The run has made the file so itself: what was known of it before does not count.
    pub(super) fn set(&mut self, file: PathBuf, known: State) {
        let place = self.places.entry(file).or_insert_with(|| Place { latest: None, known: None });
        place.latest.clone_from(&known);
        place.known = known;
    }

    /// Looks at all of them.
    pub(super) fn look(&mut self) -> Look {
        let mut walk = Walk::new(&self.here);
        let mut is_new = false;
        for (file, place) in &mut self.places {
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
        Look { is_new, folders }
    }

    /// The first that is not as the run knows it.
    pub(super) fn changed(&self) -> Option<String> {
        let Some((file, place)) = self.places.iter().find(|(_, place)| place.known != place.latest) else {
            let (folder, _) = self.trees.iter().find(|(_, place)| place.known != place.latest)?;
            let folder = if *folder == self.here { "this folder".to_owned() } else { self.shown(folder) };
            return Some(format!("what is in {folder}"));
        };
        // A way up says little.
        let has_way_up = file.components().any(|part| part == std::path::Component::ParentDir);
        let real = place.latest.as_ref().filter(|_| has_way_up).map(|there| there.path.as_path());
        Some(self.shown(real.unwrap_or(file)))
    }

    /// All that are not as the run knows them.
    pub(super) fn all_changed(&self) -> Vec<PathBuf> {
        let all = self.places.iter().chain(&self.trees);
        all.filter(|(_, place)| place.known != place.latest).map(|(path, _)| path.clone()).collect()
    }

    /// Whether one is gone, perhaps in the middle of being replaced.
    pub(super) fn is_one_gone(&self) -> bool {
        self.places.values().any(|place| place.known.is_some() && place.latest.is_none())
    }

    /// The next run knows everything as it is.
    pub(super) fn accept(&mut self) {
        self.places.values_mut().chain(self.trees.values_mut()).for_each(|place| place.known = place.latest.clone());
    }

    /// As short as a person would name it.
    pub(super) fn shown(&self, file: &Path) -> String {
        let inside = file.strip_prefix(&self.here).ok().filter(|inside| !inside.as_os_str().is_empty());
        inside.unwrap_or(file).display().to_string()
    }
}

/// What stands at one step of a path.
#[derive(Clone)]
enum Step {
    Missing,
    Link(PathBuf),
    Folder(There),
    File(There),
    /// Nothing that keeps a state: a pipe, a device.
    Other,
}

/// One look at the file system, which asks it only once for what is on many ways.
struct Walk<'a> {
    here: &'a Path,
    steps: HashMap<PathBuf, Step>,
    folders: BTreeSet<PathBuf>,
}

impl<'a> Walk<'a> {
    fn new(here: &'a Path) -> Self {
        Walk { here, steps: HashMap::new(), folders: BTreeSet::new() }
    }

    /// How `file` is. Goes to it step by step and notes each folder in which a step could be replaced.
    fn state(&mut self, file: &Path) -> State {
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
            // The way to the working directory stays, and what stands in the root of the file system.
            if !matches!(&step, Step::Folder(_) if self.here.starts_with(&next) || real.parent().is_none()) {
                folders.push(real.clone());
            }
            match step {
                Step::Missing => break,
                Step::Link(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        break;
                    }
                    rest.extend(parts(&target));
                    continue;
                }
                Step::Folder(there) if rest.is_empty() => {
                    folders.push(next);
                    state = Some(there);
                    break;
                }
                Step::File(there) if rest.is_empty() => state = Some(there),
                Step::Folder(_) => {}
                // Whatever is said to be in a file is not there.
                Step::File(_) => break,
                Step::Other => return None,
            }
            real = next;
        }
        self.folders.extend(folders);
        state
    }

    fn step(&mut self, path: &Path) -> Step {
        if let Some(step) = self.steps.get(path) {
            return step.clone();
        }
        let step = step(path);
        self.steps.insert(path.to_owned(), step.clone());
        step
    }
}

/// The parts of a path, the last first.
fn parts(path: &Path) -> Vec<OsString> {
    path.components().rev().map(|part| part.as_os_str().to_owned()).filter(|part| part != ".").collect()
}

fn step(path: &Path) -> Step {
    // Files that are made up when somebody looks, other ones for each process.
    if ["/proc", "/sys"].iter().any(|folder| Path::new(folder) == path) {
        return Step::Other;
    }
    let Ok(metadata) = fs::symlink_metadata(path) else { return Step::Missing };
    let kind = metadata.file_type();
    if kind.is_symlink() {
        return fs::read_link(path).map_or(Step::Missing, Step::Link);
    }
    let there =
        There { path: path.to_owned(), changed: changed(&metadata), length: metadata.len(), number: number(&metadata) };
    match (kind.is_dir(), kind.is_file()) {
        (true, _) => Step::Folder(there),
        (_, true) => Step::File(there),
        _ => Step::Other,
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

    /// The folders of a look, as they are named from `top`.
    fn folders(here: &str, top: &Path, file: &str) -> (bool, Vec<String>) {
        let mut places = Places::new(top.join(here));
        places.add(top.join(file), None);
        let look = places.look();
        let inside = look.folders.iter().filter_map(|folder| folder.strip_prefix(top).ok());
        (look.is_new, inside.map(|folder| folder.display().to_string()).collect())
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
    fn what_keeps_no_state_is_never_there() {
        for file in ["/dev/null", "/dev/stdin", "/proc/self/status", "/proc/uptime"] {
            assert_eq!(state_of(Path::new(file)), None, "{file}");
        }
    }
}
