//! Keeping the list of files up: which there are, what each offers, and what changes. Must not know who reads the list.

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
use crate::files::{FileReport, FileUse, ReportedFile, absolute};

/// How long what is new waits for more of it: a change of what many files import is one change of the list.
const GATHER: Duration = Duration::from_millis(100);

/// Keeps the list up.
pub(super) struct Upkeep {
    options: Arc<ServeOptions>,
    entries: BTreeMap<PathBuf, Entry>,
    describing: JoinSet<Described>,
    /// So many files are described at once.
    slots: Arc<Semaphore>,
    /// So many of those that took too long before: they must not keep the others waiting.
    slow_slots: Arc<Semaphore>,
    watcher: WatchThread,
    listed: watch::Sender<Listing>,
    changed: watch::Sender<u64>,
    /// When what is new is listed.
    due: Option<Instant>,
    all_described: Option<oneshot::Sender<()>>,
    /// What was said of folders.
    told: HashSet<String>,
}

/// A file that there is.
#[derive(Default)]
struct Entry {
    /// What it offers; none while it does not load.
    offer: Option<Description>,
    /// What was said of that.
    problem: Option<String>,
    /// Loading it did not end.
    is_slow: bool,
    /// The files that it is made of, as far as is known.
    made_of: HashSet<PathBuf>,
    /// Its latest description.
    task: Option<AbortHandle>,
}

/// What came of describing a file.
struct Described {
    file: PathBuf,
    offer: Result<Description, Problem>,
    made_of: Vec<ReportedFile>,
}

impl Upkeep {
    /// Nothing yet. Also gives what resolves when every file was described for the first time.
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

    /// Keeps the list up until the server ends.
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
                    // One that was broken off has nothing to say.
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

    /// These files are there now.
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

    /// Something has happened to these files.
    async fn look_again(&mut self, changed: &[PathBuf]) {
        let paths = self.options.paths.clone();
        // In a large folder it takes its time.
        if let Ok(found) = tokio::task::spawn_blocking(move || find_again(&paths)).await {
            self.take(found);
        }
        let is_other = |entry: &Entry| changed.iter().any(|path| entry.made_of.contains(path));
        let others = self.entries.iter().filter(|(_, entry)| is_other(entry));
        let others: Vec<PathBuf> = others.map(|(file, _)| file.clone()).collect();
        others.iter().for_each(|file| self.describe(file));
    }

    /// Has a file described anew. What it offered until now stands until that is done.
    fn describe(&mut self, file: &Path) {
        let real = absolute(file);
        // Before it is read: whatever happens to it from here on is a change.
        self.watcher.add(ReportedFile::now(&real, FileUse::Read));
        let is_slow = self.entries.get(file).is_some_and(|entry| entry.is_slow);
        let slots = if is_slow { &self.slow_slots } else { &self.slots };
        let (options, slots, own) = (self.options.clone(), slots.clone(), file.to_owned());
        let task = self.describing.spawn(async move {
            let _slot = slots.acquire().await;
            let (offer, made_of) = match FileReport::new() {
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

    /// Lists what there is, if that is something else than before.
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
