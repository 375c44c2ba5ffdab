//! Hearing of changes. Looking at files takes its time where there are many, so that is done on a thread of its own. Must not know
//! what follows from a change.

use std::{path::PathBuf, sync::Arc, thread};

use tokio::sync::mpsc;

use super::options::ServeOptions;
use crate::files::{FileUse, FileWatcher, ReportedFile, absolute};

/// What watches, for as long as this is there.
pub(super) struct WatchThread {
    add: mpsc::UnboundedSender<ReportedFile>,
    changed: mpsc::UnboundedReceiver<Vec<PathBuf>>,
}

impl WatchThread {
    /// Watches nothing yet.
    pub(super) fn start(options: &Arc<ServeOptions>) -> Self {
        let (add, added) = mpsc::unbounded_channel();
        let (tell, changed) = mpsc::unbounded_channel();
        let told = options.told.clone();
        let watch = move || {
            let cannot = |line: &str| {
                told.tell(format!("Warning: {line}; it is looked at every two seconds"));
            };
            if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() {
                runtime.block_on(watch(FileWatcher::polling(cannot), added, &tell));
            }
        };
        if let Err(error) = thread::Builder::new().name("lmthing-watch".to_owned()).spawn(watch) {
            options.told.tell(format!("Warning: cannot start a thread: {error}; changes go unnoticed"));
        }
        WatchThread { add, changed }
    }

    /// Watches files, and what is in folders.
    pub(super) fn watch(&self, paths: &[PathBuf]) {
        for path in paths {
            let what = if path.is_dir() { FileUse::Searched } else { FileUse::Read };
            self.add(ReportedFile::now(&absolute(path), what));
        }
    }

    /// Watches a file more.
    pub(super) fn add(&self, reported: ReportedFile) {
        // Without the thread nothing is watched, which was told.
        let _ = self.add.send(reported);
    }

    /// What has changed.
    pub(super) async fn changed(&mut self) -> Option<Vec<PathBuf>> {
        self.changed.recv().await
    }
}

async fn watch<C: Fn(&str)>(
    mut watcher: FileWatcher<C>,
    mut added: mpsc::UnboundedReceiver<ReportedFile>,
    tell: &mpsc::UnboundedSender<Vec<PathBuf>>,
) {
    loop {
        tokio::select! {
            biased;
            reported = added.recv() => match reported {
                Some(reported) => watcher.add(reported),
                None => return,
            },
            changed = watcher.changed() => {
                if tell.send(changed).is_err() {
                    return;
                }
            }
        }
    }
}
