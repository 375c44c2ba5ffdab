//! The served prompt files: the current list, and calls.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Map, Value};
use tokio::{
    runtime::Handle,
    sync::{Semaphore, mpsc, oneshot, watch},
    task::JoinSet,
    time::timeout,
};

use super::{
    Call, Outcome, PromptFiles, ServedFile,
    call::{CallRunner, Shutdown},
    find::find,
    listing::Listing,
    listing_updater::ListingUpdater,
    options::{ServeOptions, max_processes},
    watch_thread::WatchThread,
};
use lmthing_base::diagnostic::Diagnostic;

/// How long the start waits for descriptions. A file that does not finish loading must not block the others.
const START_TIMEOUT: Duration = Duration::from_secs(3);

/// How long calls may take to end at shutdown.
const END_TIMEOUT: Duration = Duration::from_secs(4);

pub struct Catalog {
    options: Arc<ServeOptions>,
    listing: watch::Receiver<Listing>,
    changes: watch::Receiver<u64>,
    slots: Arc<Semaphore>,
    close: watch::Sender<bool>,
    shutdown: Shutdown,
    calls: Mutex<JoinSet<()>>,
    runtime: Handle,
}

impl Catalog {
    /// Finds and describes the files. Those that take longer than the start waits are added later.
    pub async fn start(options: ServeOptions) -> Result<Arc<Self>, Box<Diagnostic>> {
        let found = find(&options.paths)?;
        let options = Arc::new(options);
        let ((listed, listing), (changed, changes)) = (watch::channel(Listing::empty()), watch::channel(0));
        let (close, shutdown) = Shutdown::new();
        let watcher = WatchThread::start(&options);
        let (updater, all_described) = ListingUpdater::new(options.clone(), (listed, changed), watcher);
        tokio::spawn(updater.run(found, shutdown.clone()));
        // A timeout is no failure.
        let _ = timeout(START_TIMEOUT, all_described).await;
        Ok(Arc::new(Catalog {
            options,
            listing,
            changes,
            slots: Arc::new(Semaphore::new(max_processes())),
            close,
            shutdown,
            calls: Mutex::default(),
            runtime: Handle::current(),
        }))
    }

    /// Ends all calls and waits for them.
    pub async fn close(&self) {
        self.close.send_replace(true);
        let mut calls = std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner));
        // Calls that take longer end with this process.
        let _ = timeout(END_TIMEOUT, async { while calls.join_next().await.is_some() {} }).await;
        calls.detach_all();
    }
}

impl PromptFiles for Catalog {
    fn list(&self) -> Arc<[ServedFile]> {
        self.listing.borrow().files.clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    fn call(&self, name: &str, input: Map<String, Value>) -> Option<Call> {
        let (file, takes_input) = self.listing.borrow().find(name)?;
        let (sender, progress) = mpsc::unbounded_channel();
        let (answer, outcome) = oneshot::channel();
        if !takes_input && !input.is_empty() {
            let given: Vec<&str> = input.keys().map(String::as_str).collect();
            let why = format!("{name} takes no input, got {}", given.join(", "));
            let _ = answer.send(Outcome::Failed(why));
            return Some(Call { progress, outcome });
        }
        let runner = CallRunner {
            options: self.options.clone(),
            file,
            takes_input,
            input,
            slots: self.slots.clone(),
            shutdown: self.shutdown.clone(),
            progress: sender,
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        while calls.try_join_next().is_some() {}
        calls.spawn_on(runner.run(answer), &self.runtime);
        Some(Call { progress, outcome })
    }
}
