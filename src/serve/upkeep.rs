//! Keeps the list of served files current: finds, describes and watches them.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::{Semaphore, oneshot, watch},
    task::{AbortHandle, JoinSet},
    time::{Instant, sleep_until},
};

use super::{
    closing::Closing,
    describing::{Description, Problem, describe},
    finding::{Found, find_again},
    listing::Listing,
    options::{ServeOptions, at_once},
    watch_thread::WatchThread,
};
use crate::files::{Report, Reported, What, absolute};

/// Changes within this time are listed together: a change of a shared import affects many files.
const GATHER: Duration = Duration::from_millis(100);

pub(super) struct Upkeep {
    options: Arc<ServeOptions>,
    entries: BTreeMap<PathBuf, Entry>,
    describing: JoinSet<Described>,
    /// Limits concurrent descriptions.
    slots: Arc<Semaphore>,
    /// Limits descriptions of files that timed out before, so that they do not delay the others.
    slow_slots: Arc<Semaphore>,
    watcher: WatchThread,
    listed: watch::Sender<Listing>,
    changed: watch::Sender<u64>,
    /// When pending changes are listed.
    due: Option<Instant>,
    all_described: Option<oneshot::Sender<()>>,
    /// Warnings about folders that were logged.
    told: HashSet<String>,
}

#[derive(Default)]
struct Entry {
    /// `None` while the file does not load.
    offer: Option<Description>,
    /// The error that was logged last.
    problem: Option<String>,
    /// Loading has timed out.
    is_slow: bool,
    /// The files that it is known to load.
    made_of: HashSet<PathBuf>,
    /// The latest description.
    task: Option<AbortHandle>,
}

struct Described {
    file: PathBuf,
    offer: Result<Description, Problem>,
    made_of: Vec<Reported>,
}

impl Upkeep {
    /// The receiver resolves when every file was described once.
    pub(super) fn new(
        options: Arc<ServeOptions>,
        (listed, changed): (watch::Sender<Listing>, watch::Sender<u64>),
        watcher: WatchThread,
    ) -> (Self, oneshot::Receiver<()>) {
        let (tell, all_described) = oneshot::channel();
        let upkeep = Upkeep {
            options,
            entries: BTreeMap::new(),
            describing: JoinSet::new(),
            slots: Arc::new(Semaphore::new(at_once())),
            slow_slots: Arc::new(Semaphore::new(1)),
            watcher,
            listed,
            changed,
            due: None,
            all_described: Some(tell),
            told: HashSet::new(),
        };
        (upkeep, all_described)
    }

    pub(super) async fn run(mut self, found: Found, mut closing: Closing) {
        self.watcher.watch(&self.options.paths);
        self.take(found);
        loop {
            let due = self.due;
            let is_due = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = closing.heard() => return,
                Some(done) = self.describing.join_next() => {
                    // A task that was aborted gives an error.
                    if let Ok((id, described)) = done.map(|described| (described.file.clone(), described)) {
                        self.described(&id, described);
                    }
                }
                Some(changed) = self.watcher.changed() => self.look_again(&changed).await,
                () = is_due => self.list(),
            }
            if self.describing.is_empty() {
                self.list();
                self.all_described.take().map(|tell| tell.send(()));
            }
        }
    }

    fn take(&mut self, found: Found) {
        for problem in found.problems {
            if self.told.insert(problem.clone()) {
                self.options.told.tell(format!("Warning: {problem}"));
            }
        }
        let there: HashSet<&PathBuf> = found.files.iter().collect();
        self.entries.retain(|file, entry| {
            let is_there = there.contains(file);
            if !is_there {
                entry.task.iter().for_each(AbortHandle::abort);
            }
            is_there
        });
        for file in found.files {
            if !self.entries.contains_key(&file) {
                self.describe(&file);
            }
        }
        self.list_soon();
    }

    /// Searches again and describes the files that load one of `changed`.
    async fn look_again(&mut self, changed: &[PathBuf]) {
        let paths = self.options.paths.clone();
        // A search of a large folder blocks.
        if let Ok(found) = tokio::task::spawn_blocking(move || find_again(&paths)).await {
            self.take(found);
        }
        let is_other = |entry: &Entry| changed.iter().any(|path| entry.made_of.contains(path));
        let others = self.entries.iter().filter(|(_, entry)| is_other(entry));
        let others: Vec<PathBuf> = others.map(|(file, _)| file.clone()).collect();
        others.iter().for_each(|file| self.describe(file));
    }

    /// Starts a description. The previous one stays listed until it is done.
    fn describe(&mut self, file: &Path) {
        let real = absolute(file);
        // Watched before it is read, so that no later change is missed.
        self.watcher.add(Reported::now(&real, What::Read));
        let is_slow = self.entries.get(file).is_some_and(|entry| entry.is_slow);
        let slots = if is_slow { &self.slow_slots } else { &self.slots };
        let (options, slots, own) = (self.options.clone(), slots.clone(), file.to_owned());
        let task = self.describing.spawn(async move {
            let _slot = slots.acquire().await;
            let (offer, made_of) = match Report::new() {
                Ok(report) => (describe(&options, &own, &report).await, report.all()),
                Err(error) => (Err(Problem::new(format!("cannot write a temporary file: {error}"))), Vec::new()),
            };
            Described { file: own, offer, made_of }
        });
        let entry = self.entries.entry(file.to_owned()).or_default();
        entry.made_of.insert(real);
        if let Some(before) = entry.task.replace(task) {
            before.abort();
        }
    }

    fn described(&mut self, file: &Path, Described { offer, made_of, .. }: Described) {
        let Some(entry) = self.entries.get_mut(file) else { return };
        if offer.is_ok() {
            let real = absolute(file);
            entry.made_of.retain(|path| *path == real);
        }
        entry.made_of.extend(made_of.iter().map(|reported| reported.file().to_owned()));
        made_of.into_iter().for_each(|reported| self.watcher.add(reported));
        entry.is_slow = matches!(&offer, Err(problem) if problem.is_slow);
        let shown = file.display();
        let line = match &offer {
            Ok(_) => entry.problem.take().map(|_| format!("{shown} is served again")),
            Err(problem) => {
                let problem = problem.shown();
                let is_new = entry.problem.as_ref() != Some(&problem);
                let line = is_new.then(|| format!("{shown} is not served: {problem}"));
                entry.problem = Some(problem);
                line
            }
        };
        entry.offer = offer.ok();
        self.list_soon();
        if let Some(line) = line {
            self.options.told.tell(line);
        }
    }

    fn list_soon(&mut self) {
        self.due.get_or_insert_with(|| Instant::now() + GATHER);
    }

    /// Publishes the list if it has changed.
    fn list(&mut self) {
        self.due = None;
        let offers = self.entries.iter().map(|(path, entry)| (path.clone(), entry.offer.as_ref()));
        let listing = Listing::of(&offers.collect());
        let is_new = self.listed.send_if_modified(|listed| {
            let is_new = *listed != listing;
            *listed = listing;
            is_new
        });
        if is_new {
            self.changed.send_modify(|count| *count += 1);
        }
    }
}
