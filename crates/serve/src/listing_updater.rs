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
    call::Shutdown,
    description::{DescribeError, Description, describe},
    find::{FoundFiles, find_again},
    listing::Listing,
    options::{ServeOptions, max_processes},
    watch_thread::WatchThread,
};
use lmthing_system::files::{FileReport, FileUse, ReportedFile, absolute};

/// Changes within this time are listed together: a change of a shared import affects many files.
const LIST_DELAY: Duration = Duration::from_millis(100);

pub(super) struct ListingUpdater {
    options: Arc<ServeOptions>,
    files: BTreeMap<PathBuf, FileState>,
    describing: JoinSet<DescribeResult>,
    slots: Arc<Semaphore>,
    /// Limits descriptions of files that timed out before, so that they do not delay the others.
    slow_slots: Arc<Semaphore>,
    watcher: WatchThread,
    listed: watch::Sender<Listing>,
    changed: watch::Sender<u64>,
    /// When pending changes are listed.
    list_at: Option<Instant>,
    all_described: Option<oneshot::Sender<()>>,
    /// Warnings about folders that were logged.
    logged: HashSet<String>,
}

#[derive(Default)]
struct FileState {
    /// `None` while the file does not load.
    offer: Option<Description>,
    /// The error that was logged last.
    problem: Option<String>,
    is_slow: bool,
    dependencies: HashSet<PathBuf>,
    task: Option<AbortHandle>,
}

struct DescribeResult {
    file: PathBuf,
    offer: Result<Description, DescribeError>,
    dependencies: Vec<ReportedFile>,
}

impl ListingUpdater {
    /// The receiver resolves when every file was described once.
    pub(super) fn new(
        options: Arc<ServeOptions>,
        (listed, changed): (watch::Sender<Listing>, watch::Sender<u64>),
        watcher: WatchThread,
    ) -> (Self, oneshot::Receiver<()>) {
        let (sender, all_described) = oneshot::channel();
        let updater = ListingUpdater {
            options,
            files: BTreeMap::new(),
            describing: JoinSet::new(),
            slots: Arc::new(Semaphore::new(max_processes())),
            slow_slots: Arc::new(Semaphore::new(1)),
            watcher,
            listed,
            changed,
            list_at: None,
            all_described: Some(sender),
            logged: HashSet::new(),
        };
        (updater, all_described)
    }

    pub(super) async fn run(mut self, found: FoundFiles, mut shutdown: Shutdown) {
        self.watcher.watch(&self.options.paths);
        self.set_files(found);
        loop {
            let list_at = self.list_at;
            let is_time = async {
                match list_at {
                    Some(list_at) => sleep_until(list_at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = shutdown.requested() => return,
                Some(done) = self.describing.join_next() => {
                    // A task that was aborted gives an error.
                    if let Ok((id, described)) = done.map(|described| (described.file.clone(), described)) {
                        self.described(&id, described);
                    }
                }
                Some(changed) = self.watcher.changed() => self.rescan(&changed).await,
                () = is_time => self.list(),
            }
            if self.describing.is_empty() {
                self.list();
                self.all_described.take().map(|sender| sender.send(()));
            }
        }
    }

    fn set_files(&mut self, found: FoundFiles) {
        for problem in found.problems {
            if self.logged.insert(problem.clone()) {
                self.options.log.send(format!("Warning: {problem}"));
            }
        }
        let there: HashSet<&PathBuf> = found.files.iter().collect();
        self.files.retain(|file, entry| {
            let is_there = there.contains(file);
            if !is_there {
                entry.task.iter().for_each(AbortHandle::abort);
            }
            is_there
        });
        for file in found.files {
            if !self.files.contains_key(&file) {
                self.describe(&file);
            }
        }
        self.list_soon();
    }

    /// Searches again and describes the files that load one of `changed`.
    async fn rescan(&mut self, changed: &[PathBuf]) {
        let paths = self.options.paths.clone();
        // A search of a large folder blocks.
        if let Ok(found) = tokio::task::spawn_blocking(move || find_again(&paths)).await {
            self.set_files(found);
        }
        let is_other = |entry: &FileState| changed.iter().any(|path| entry.dependencies.contains(path));
        let others = self.files.iter().filter(|(_, entry)| is_other(entry));
        let others: Vec<PathBuf> = others.map(|(file, _)| file.clone()).collect();
        others.iter().for_each(|file| self.describe(file));
    }

    /// Starts a description. The previous one stays listed until it is done.
    fn describe(&mut self, file: &Path) {
        let real = absolute(file);
        // Watched before it is read, so that no later change is missed.
        self.watcher.add(ReportedFile::now(&real, FileUse::Read));
        let is_slow = self.files.get(file).is_some_and(|entry| entry.is_slow);
        let slots = if is_slow { &self.slow_slots } else { &self.slots };
        let (options, slots, own) = (self.options.clone(), slots.clone(), file.to_owned());
        let task = self.describing.spawn(async move {
            let _slot = slots.acquire().await;
            let (offer, dependencies) = match FileReport::new() {
                Ok(report) => (describe(&options, &own, &report).await, report.all()),
                Err(error) => (Err(DescribeError::new(format!("cannot write a temporary file: {error}"))), Vec::new()),
            };
            DescribeResult { file: own, offer, dependencies }
        });
        let entry = self.files.entry(file.to_owned()).or_default();
        entry.dependencies.insert(real);
        if let Some(before) = entry.task.replace(task) {
            before.abort();
        }
    }

    fn described(&mut self, file: &Path, DescribeResult { offer, dependencies, .. }: DescribeResult) {
        let Some(entry) = self.files.get_mut(file) else { return };
        if offer.is_ok() {
            let real = absolute(file);
            entry.dependencies.retain(|path| *path == real);
        }
        entry.dependencies.extend(dependencies.iter().map(|reported| reported.file().to_owned()));
        dependencies.into_iter().for_each(|reported| self.watcher.add(reported));
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
            self.options.log.send(line);
        }
    }

    fn list_soon(&mut self) {
        self.list_at.get_or_insert_with(|| Instant::now() + LIST_DELAY);
    }

    fn list(&mut self) {
        self.list_at = None;
        let offers = self.files.iter().map(|(path, entry)| (path.clone(), entry.offer.as_ref()));
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
