//! Watches folders with the system's file events.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use notify::{
    Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind, event::ModifyKind,
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::super::io_error_text;

/// The paths of entries that were created or removed, which may be watched folders; `None` if events were lost.
type FolderEvent = Option<Vec<PathBuf>>;

pub(super) struct FolderWatcher {
    /// `None` where the system cannot watch.
    watcher: Option<RecommendedWatcher>,
    events: UnboundedReceiver<FolderEvent>,
    watched: HashSet<PathBuf>,
    unwatchable: HashSet<PathBuf>,
    is_limit_reported: bool,
}

impl FolderWatcher {
    pub(super) fn new() -> notify::Result<Self> {
        let (sender, events) = unbounded_channel();
        let tell = move |event: notify::Result<Event>| {
            if let Some(happening) = folder_event(event) {
                // Without a receiver the program is about to end.
                let _ = sender.send(happening);
            }
        };
        Ok(FolderWatcher {
            watcher: Some(RecommendedWatcher::new(tell, Config::default())?),
            events,
            watched: HashSet::new(),
            unwatchable: HashSet::new(),
            is_limit_reported: false,
        })
    }

    /// A watcher that watches nothing.
    pub(super) fn unavailable() -> Self {
        let (_, events) = unbounded_channel();
        let (watched, unwatchable) = (HashSet::new(), HashSet::new());
        FolderWatcher { watcher: None, events, watched, unwatchable, is_limit_reported: false }
    }

    /// Whether changes may go unnoticed.
    pub(super) fn has_blind_spots(&self) -> bool {
        self.watcher.is_none() || !self.unwatchable.is_empty()
    }

    /// Watches new folders, and returns whether there were any: earlier changes in them are unknown then. `on_unwatchable` is called once for
    /// each folder that cannot be watched, with the reason.
    pub(super) fn watch(&mut self, folders: &BTreeSet<PathBuf>, on_unwatchable: impl Fn(&Path, &str)) -> bool {
        let mut is_any = false;
        // Outer folders first, so that a later replacement of an inner one is noticed.
        for folder in folders {
            if self.watched.contains(folder) || self.unwatchable.contains(folder) {
                continue;
            }
            is_any = true;
            let Some(watcher) = &mut self.watcher else { return false };
            // The watch may still refer to an earlier folder at this path.
            let _ = watcher.unwatch(folder);
            match watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                }
                // It was just removed; the next check will notice.
                Err(error) if is_missing(&error.kind) => {}
                Err(error) => self.give_up(folder, &error.kind, &on_unwatchable),
            }
        }
        is_any
    }

    fn give_up(&mut self, folder: &Path, error: &ErrorKind, on_unwatchable: impl Fn(&Path, &str)) {
        self.unwatchable.insert(folder.to_owned());
        match error {
            // Further folders will fail as well.
            ErrorKind::MaxFilesWatch if self.is_limit_reported => {}
            ErrorKind::MaxFilesWatch => {
                self.is_limit_reported = true;
                on_unwatchable(folder, "the system's limit of watched folders is reached, further ones are not named");
            }
            ErrorKind::Io(error) => on_unwatchable(folder, &io_error_text(error)),
            ErrorKind::Generic(error) => on_unwatchable(folder, error),
            error => on_unwatchable(folder, &format!("{error:?}")),
        }
    }

    pub(super) async fn next_event(&mut self) {
        match self.events.recv().await {
            Some(happening) => self.handle(happening),
            None => std::future::pending().await,
        }
    }

    pub(super) fn handle_pending(&mut self) {
        while let Ok(happening) = self.events.try_recv() {
            self.handle(happening);
        }
    }

    /// Forgets watches of replaced folders. A watch follows its folder when that is moved, so a replacement and the folders in it need
    /// watches of their own: a watch that ends also ends those of inner folders.
    fn handle(&mut self, happening: FolderEvent) {
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

fn folder_event(event: notify::Result<Event>) -> Option<FolderEvent> {
    let Ok(event) = event else { return Some(None) };
    if event.need_rescan() {
        return Some(None);
    }
    match event.kind {
        // Reading a file is not a change.
        EventKind::Access(_) => None,
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => Some(Some(Vec::new())),
        _ => Some(Some(event.paths)),
    }
}

fn is_missing(error: &ErrorKind) -> bool {
    match error {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
