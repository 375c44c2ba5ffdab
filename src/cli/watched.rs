//! The files a run is made of, and what happens to them. Must not know why anybody wants to know.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How long nothing must happen any more: editors write in several steps.
const QUIET: Duration = Duration::from_millis(80);

/// How long a file may be gone in the middle of being replaced.
const GONE: Duration = Duration::from_millis(400);

/// Where a run writes a line for each file that it looks for.
pub(super) struct Report(PathBuf);

impl Report {
    /// An empty one.
    pub(super) fn new() -> io::Result<Self> {
        // In a folder of its own: the one for everybody's temporary files is a busy place.
        let name = format!("lmthing-{}-{:016x}", std::process::id(), fastrand::u64(..));
        let folder = fs::canonicalize(std::env::temp_dir())?.join(name);
        fs::create_dir(&folder)?;
        let report = Report(folder.join("files"));
        File::create(&report.0)?;
        Ok(report)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        // What is left is in a folder that the system empties.
        let _ = fs::remove_file(&self.0);
        let _ = self.0.parent().map(fs::remove_dir);
    }
}

/// What tells one state of a file from another: when it was changed, in nanoseconds, how long it is, and its number in the
/// file system. `None` when it is not there.
type State = Option<(u128, u64, u64)>;

/// The line with which a run reports a file that it is about to read, in the state it has then: from here on a change is one
/// that the run may not have seen, however late the report is read.
pub(super) fn reported(file: &Path) -> String {
    let state = match state_of(file) {
        Some((changed, length, number)) => format!("{changed} {length} {number}"),
        None => "-".to_owned(),
    };
    format!("{state}\t{}\n", file.display())
}

/// A reported state; `None` when the line is not whole.
fn read_state(text: &str) -> Option<State> {
    if text == "-" {
        return Some(None);
    }
    let mut numbers = text.split(' ');
    let changed = numbers.next()?.parse().ok()?;
    let mut next = || numbers.next()?.parse().ok();
    Some(Some((changed, next()?, next()?)))
}

/// Watches files, through the folders they are in: an editor may put a new file in the place of the old.
pub(super) struct Watched {
    watcher: RecommendedWatcher,
    events: UnboundedReceiver<Vec<PathBuf>>,
    folders: HashSet<PathBuf>,
    files: HashMap<PathBuf, State>,
    report: BufReader<File>,
    report_path: PathBuf,
    /// A change that was seen and not told yet.
    pending: Option<PathBuf>,
}

impl Watched {
    /// Watches the files that options name, those that are named with `@`, `.env`, and what `report` says.
    ///
    /// # Errors
    /// The system may refuse to watch.
    pub(super) fn new(files: &[PathBuf], report: &Report) -> notify::Result<Self> {
        let (sender, events) = unbounded_channel();
        let tell = move |event: notify::Result<Event>| {
            if let Ok(event) = event
                && is_change(event.kind)
            {
                // Nobody listening is fine: the program is about to end.
                let _ = sender.send(event.paths);
            }
        };
        let mut watched = Watched {
            watcher: RecommendedWatcher::new(tell, Config::default())?,
            events,
            folders: HashSet::new(),
            files: HashMap::new(),
            report: BufReader::new(File::open(report.path())?),
            report_path: report.path().to_owned(),
            pending: None,
        };
        if let Some(folder) = report.path().parent() {
            watched.watcher.watch(folder, RecursiveMode::NonRecursive)?;
            watched.folders.insert(folder.to_owned());
        }
        named(files).iter().for_each(|file| watched.add(file, state_of(file)));
        Ok(watched)
    }

    /// Resolves to the name of a file that has changed, once it is whole. Can be asked again at any time.
    pub(super) async fn changed(&mut self) -> String {
        loop {
            while self.pending.is_none() {
                let Some(paths) = self.events.recv().await else { return std::future::pending().await };
                self.note(&paths);
            }
            self.settle().await;
            if let Some(file) = self.pending.take() {
                self.files.iter_mut().for_each(|(file, state)| *state = state_of(file));
                return shown(&file);
            }
        }
    }

    /// The same, also for what has changed before its folder was watched.
    pub(super) async fn changed_since(&mut self) -> String {
        self.read_report();
        self.pending = self.pending.take().or_else(|| self.find_change());
        self.changed().await
    }

    /// Waits until nothing happens any more.
    async fn settle(&mut self) {
        loop {
            let is_gone = self.pending.as_ref().is_some_and(|file| state_of(file).is_none());
            match tokio::time::timeout(if is_gone { GONE } else { QUIET }, self.events.recv()).await {
                Ok(Some(paths)) => self.note(&paths),
                _ => return,
            }
        }
    }

    fn note(&mut self, paths: &[PathBuf]) {
        if paths.contains(&self.report_path) {
            self.read_report();
        }
        let is_changed = |path: &&Path| self.files.get(*path).is_some_and(|state| *state != state_of(path));
        // What appears in a folder changes that.
        let mut places = paths.iter().flat_map(|path| [Some(path.as_path()), path.parent()]).flatten();
        // The system may have dropped some: then it names none.
        let found = if paths.is_empty() { self.find_change() } else { places.find(is_changed).map(Path::to_owned) };
        self.pending = self.pending.take().or(found);
    }

    fn find_change(&self) -> Option<PathBuf> {
        self.files.iter().find(|(file, state)| **state != state_of(file)).map(|(file, _)| file.clone())
    }

    fn read_report(&mut self) {
        let mut line = String::new();
        // A run writes whole lines.
        while self.report.read_line(&mut line).is_ok_and(|length| length > 0) {
            let reported = line.trim_end_matches('\n').split_once('\t');
            if let Some((state, file)) = reported.and_then(|(state, file)| Some((read_state(state)?, Path::new(file))))
            {
                self.add(file, state);
            }
            line.clear();
        }
    }

    /// Watches a file, and the one it leads to when it is a link. `state` is the one that the run knows.
    fn add(&mut self, file: &Path, state: State) {
        let Ok(file) = std::path::absolute(file) else { return };
        let real = fs::canonicalize(&file).ok();
        let place = file.parent().zip(file.file_name());
        let link = place.and_then(|(folder, name)| Some(fs::canonicalize(folder).ok()?.join(name)));
        for file in [link, real].into_iter().flatten() {
            self.add_at(file, state);
        }
    }

    fn add_at(&mut self, file: PathBuf, state: State) {
        if self.files.contains_key(&file) {
            return;
        }
        if let Some(folder) = file.parent().filter(|folder| !self.folders.contains(*folder)) {
            // A folder that cannot be watched does not keep the others from being.
            let _ = self.watcher.watch(folder, RecursiveMode::NonRecursive);
            self.folders.insert(folder.to_owned());
        }
        // It may have changed while nobody watched.
        if state_of(&file) != state {
            self.pending.get_or_insert_with(|| file.clone());
        }
        self.files.insert(file, state);
    }
}

/// Reading a file is no change.
fn is_change(kind: EventKind) -> bool {
    !matches!(kind, EventKind::Access(_))
}

/// With what every command line may name: `@file` is where an argument is read from.
fn named(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = files.to_vec();
    files.push(PathBuf::from(".env"));
    for argument in std::env::args_os().skip(1).filter_map(|argument| argument.into_string().ok()) {
        let value = argument.split_once('=').map_or(argument.as_str(), |(_, value)| value);
        files.extend(value.strip_prefix('@').or_else(|| argument.strip_prefix('@')).map(PathBuf::from));
    }
    files
}

fn state_of(file: &Path) -> State {
    let metadata = fs::metadata(file).ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some((changed.as_nanos(), metadata.len(), number(&metadata)))
}

#[cfg(unix)]
fn number(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number(_metadata: &fs::Metadata) -> u64 {
    0
}

/// As short as a person would name it.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    file.strip_prefix(here).unwrap_or(file).display().to_string()
}
