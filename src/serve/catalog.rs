//! The files that are served, as protocols see them: the list as it is now, and calls. Must not know how the list is kept up.

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
    closing::Closing,
    finding::find,
    listing::Listing,
    options::{ServeOptions, at_once},
    running::Conduct,
    upkeep::Upkeep,
    watch_thread::WatchThread,
};
use crate::diagnostic::Diagnostic;

/// How long the start waits for files to be described: one that does not end must not keep the others from being served.
const START: Duration = Duration::from_secs(3);

/// How long calls have to end at the end: those that do not listen are killed by then.
const FAREWELL: Duration = Duration::from_secs(4);

/// The files that are served.
pub(crate) struct Catalog {
    options: Arc<ServeOptions>,
    listing: watch::Receiver<Listing>,
    changes: watch::Receiver<u64>,
    turns: Arc<Semaphore>,
    close: watch::Sender<bool>,
    closing: Closing,
    calls: Mutex<JoinSet<()>>,
    runtime: Handle,
}

impl Catalog {
    /// Finds the files and has each described, in the event loop that this is called from. Those that take longer come later.
    ///
    /// # Errors
    /// There is nothing to serve, or a path leads nowhere.
    pub(crate) async fn start(options: ServeOptions) -> Result<Arc<Self>, Box<Diagnostic>> {
        let found = find(&options.paths)?;
        let options = Arc::new(options);
        let ((listed, listing), (changed, changes)) = (watch::channel(Listing::empty()), watch::channel(0));
        let (close, closing) = Closing::new();
        let watcher = WatchThread::start(&options);
        let (upkeep, all_described) = Upkeep::new(options.clone(), (listed, changed), watcher);
        tokio::spawn(upkeep.run(found, closing.clone()));
        // Not in time is no failure.
        let _ = timeout(START, all_described).await;
        Ok(Arc::new(Catalog {
            options,
            listing,
            changes,
            turns: Arc::new(Semaphore::new(at_once())),
            close,
            closing,
            calls: Mutex::default(),
            runtime: Handle::current(),
        }))
    }

    /// Ends all calls, and waits until they have ended.
    pub(crate) async fn close(&self) {
        self.close.send_replace(true);
        let mut calls = std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner));
        // What does not end by then ends with us.
        let _ = timeout(FAREWELL, async { while calls.join_next().await.is_some() {} }).await;
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
        let (tell, progress) = mpsc::unbounded_channel();
        let (answer, outcome) = oneshot::channel();
        if !takes_input && !input.is_empty() {
            let given: Vec<&str> = input.keys().map(String::as_str).collect();
            let why = format!("{name} takes no input, got {}", given.join(", "));
            // The receiver is right here.
            let _ = answer.send(Outcome::Failed(why));
            return Some(Call { progress, outcome });
        }
        let conduct = Conduct {
            options: self.options.clone(),
            file,
            takes_input,
            input,
            turns: self.turns.clone(),
            closing: self.closing.clone(),
            progress: tell,
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that are over are of no concern any more.
        while calls.try_join_next().is_some() {}
        calls.spawn_on(conduct.run(answer), &self.runtime);
        Some(Call { progress, outcome })
    }
}
