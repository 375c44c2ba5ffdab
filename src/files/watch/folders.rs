//! Folders in which the system tells of what happens. It only wakes: what has changed, states say. Must not know which files
//! anybody waits for.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use notify::{
    Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind, event::ModifyKind,
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::super::words::words;

/// What happened: the paths of entries that came or went, which may be watched folders. `None` when some of it is lost.
type Happening = Option<Vec<PathBuf>>;

/// What is watched.
pub(super) struct Folders {
    /// None where the system cannot tell of anything.
    watcher: Option<RecommendedWatcher>,
    happenings: UnboundedReceiver<Happening>,
    watched: HashSet<PathBuf>,
    /// Folders that cannot be.
    unwatchable: HashSet<PathBuf>,
    is_limit_told: bool,
}

impl Folders {
    /// None yet.
    ///
    /// # Errors
    /// The system may refuse to watch.
    pub(super) fn new() -> notify::Result<Self> {
        let (sender, happenings) = unbounded_channel();
        let tell = move |event: notify::Result<Event>| {
            if let Some(happening) = happening(event) {
                // Nobody listening is fine: the program is about to end.
                let _ = sender.send(happening);
            }
        };
        Ok(Folders {
            watcher: Some(RecommendedWatcher::new(tell, Config::default())?),
            happenings,
            watched: HashSet::new(),
            unwatchable: HashSet::new(),
            is_limit_told: false,
        })
    }

    /// Where nothing can be watched.
    pub(super) fn blind() -> Self {
        let (_, happenings) = unbounded_channel();
        let (watched, unwatchable) = (HashSet::new(), HashSet::new());
        Folders { watcher: None, happenings, watched, unwatchable, is_limit_told: false }
    }

    /// Whether something may happen of which nobody tells.
    pub(super) fn is_blind(&self) -> bool {
        self.watcher.is_none() || !self.unwatchable.is_empty()
    }

    /// Watches those that are not watched yet. Whether there were any: then what has happened in them before is not told.
    /// `cannot` hears of each that cannot be watched, once, and why.
    pub(super) fn watch(&mut self, folders: &BTreeSet<PathBuf>, cannot: impl Fn(&Path, &str)) -> bool {
        let mut is_any = false;
        // Outer ones first: what takes the place of an inner one from then on is told.
        for folder in folders {
            if self.watched.contains(folder) || self.unwatchable.contains(folder) {
                continue;
            }
            is_any = true;
            let Some(watcher) = &mut self.watcher else { return false };
            // The watch may still be on a folder that was here before.
            let _ = watcher.unwatch(folder);
            match watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                }
                // It has just gone; the next look will not find it.
                Err(error) if is_not_there(&error.kind) => {}
                Err(error) => self.give_up(folder, &error.kind, &cannot),
            }
        }
        is_any
    }

    fn give_up(&mut self, folder: &Path, error: &ErrorKind, cannot: impl Fn(&Path, &str)) {
        self.unwatchable.insert(folder.to_owned());
        match error {
            // All that follow will not be watched either.
            ErrorKind::MaxFilesWatch if self.is_limit_told => {}
            ErrorKind::MaxFilesWatch => {
                self.is_limit_told = true;
                cannot(folder, "the system's limit of watched folders is reached, further ones are not named");
            }
            ErrorKind::Io(error) => cannot(folder, &words(error)),
            ErrorKind::Generic(error) => cannot(folder, error),
            error => cannot(folder, &format!("{error:?}")),
        }
    }

    /// Resolves when something has happened.
    pub(super) async fn wake(&mut self) {
        match self.happenings.recv().await {
            Some(happening) => self.note(happening),
            None => std::future::pending().await,
        }
    }

    /// Takes note of everything that has happened by now.
    pub(super) fn catch_up(&mut self) {
        while let Ok(happening) = self.happenings.try_recv() {
            self.note(happening);
        }
    }

    /// A watch is on a folder, wherever that is moved to. What has taken its place needs one of its own, and so do those
    /// that are in there: a watch that ends takes those of inner folders with it.
    fn note(&mut self, happening: Happening) {
        // FSEvents watches paths.
        if RecommendedWatcher::kind() == WatcherKind::Fsevent {
            return;
        }
        match happening {
            Some(paths) => self.watched.retain(|folder| !paths.iter().any(|path| folder.starts_with(path))),
            None => self.watched.clear(),
        }
    }
}

fn happening(event: notify::Result<Event>) -> Option<Happening> {
    let Ok(event) = event else { return Some(None) };
    if event.need_rescan() {
        return Some(None);
    }
    match event.kind {
        // Reading a file is no change.
        EventKind::Access(_) => None,
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => Some(Some(Vec::new())),
        _ => Some(Some(event.paths)),
    }
}

fn is_not_there(error: &ErrorKind) -> bool {
    match error {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
