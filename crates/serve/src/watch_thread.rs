//! Watches files on a thread of its own, as polling many files blocks.

use std::{path::PathBuf, sync::Arc, thread};

use tokio::sync::mpsc;

use super::options::ServeOptions;
use lmthing_system::files::{FileUse, FileWatcher, ReportedFile, absolute};

/// Stops when dropped.
pub(super) struct WatchThread {
    add: mpsc::UnboundedSender<ReportedFile>,
    changed: mpsc::UnboundedReceiver<Vec<PathBuf>>,
}

impl WatchThread {
    pub(super) fn start(options: &Arc<ServeOptions>) -> Self {
        let (add, added) = mpsc::unbounded_channel();
        let (sender, changed) = mpsc::unbounded_channel();
        let log = options.log.clone();
        let watch = move || {
            let cannot = |line: &str| {
                log.send(format!("Warning: {line}; it is looked at every two seconds"));
            };
            if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() {
                runtime.block_on(watch(FileWatcher::polling(cannot), added, &sender));
            }
        };
        if let Err(error) = thread::Builder::new().name("lmthing-watch".to_owned()).spawn(watch) {
            options.log.send(format!("Warning: cannot start a thread: {error}; changes go unnoticed"));
        }
        WatchThread { add, changed }
    }

    pub(super) fn watch(&self, paths: &[PathBuf]) {
        for path in paths {
            let what = if path.is_dir() { FileUse::Searched } else { FileUse::Read };
            self.add(ReportedFile::now(&absolute(path), what));
        }
    }

    pub(super) fn add(&self, reported: ReportedFile) {
        // Fails if the thread could not be started, which was logged.
        let _ = self.add.send(reported);
    }

    pub(super) async fn changed(&mut self) -> Option<Vec<PathBuf>> {
        self.changed.recv().await
    }
}

async fn watch<C: Fn(&str)>(
    mut watcher: FileWatcher<C>,
    mut added: mpsc::UnboundedReceiver<ReportedFile>,
    sender: &mpsc::UnboundedSender<Vec<PathBuf>>,
) {
    loop {
        tokio::select! {
            biased;
            reported = added.recv() => match reported {
                Some(reported) => watcher.add(reported),
                None => return,
            },
            changed = watcher.changed() => {
                if sender.send(changed).is_err() {
                    return;
                }
            }
        }
    }
}
