//! The files a run is made of, and what happens to them. Must not know why anybody wants to know.
//!
//! Events of the system only wake; whether something has changed, the states of the files say. So an event that is lost in
//! the crowd, comes twice or is of no concern does no harm.

mod folders;
mod places;
mod report;
mod tree;

use std::path::{Path, PathBuf};

use tokio::time::{Duration, Instant, sleep, timeout_at};

use folders::Folders;
use places::{Look, Places};
use report::Reports;
pub(crate) use report::{Report, Reported, Reporter, What};

/// How long nothing must change any more: editors write in several steps.
const QUIET: Duration = Duration::from_millis(80);

/// How long a file may be gone in the middle of being replaced.
const GONE: Duration = Duration::from_millis(400);

/// How long events are gathered before anybody looks: in a busy folder they never end.
const GATHER: Duration = Duration::from_millis(15);

/// How often is looked where the system tells nothing.
const POLL: Duration = Duration::from_secs(2);

/// How often folders may come while others are being watched.
const MAX_LOOKS: usize = 20;

/// Watches files, through the folders they are in.
pub(crate) struct FileWatcher<C> {
    folders: Folders,
    places: Places,
    /// Watched as well, whatever is in it.
    report_folder: Option<PathBuf>,
    /// When a change that was seen is told, unless more comes.
    due: Option<Instant>,
    /// Hears a line for each folder that cannot be watched.
    cannot: C,
    /// Looks now and then where the system tells nothing.
    polls: bool,
}

impl<C: Fn(&str)> FileWatcher<C> {
    /// Watches nothing yet. Where the system does not tell of changes, they are looked for. `cannot` hears a line for each folder
    /// of which that is so.
    pub(crate) fn polling(cannot: C) -> Self {
        let folders = Folders::new().unwrap_or_else(|_| Folders::blind());
        FileWatcher { polls: true, ..FileWatcher::of(folders, cannot) }
    }

    fn of(folders: Folders, cannot: C) -> Self {
        let places = Places::new(std::env::current_dir().unwrap_or_default());
        FileWatcher { folders, places, report_folder: None, due: None, cannot, polls: false }
    }

    /// Watches one more file, or folder of prompt files.
    pub(crate) fn add(&mut self, Reported { file, state, what }: Reported) {
        match what {
            What::Read => self.places.add(file, state),
            What::Wrote => self.places.set(file, state),
            What::Searched => self.places.add_tree(file, state),
        }
    }

    /// Resolves to what has changed, once it is whole. Can be asked again at any time.
    pub(crate) async fn changed(&mut self) -> Vec<PathBuf> {
        loop {
            let begun = Instant::now();
            if self.is_due() {
                let changed = self.places.all_changed();
                self.places.accept();
                return changed;
            }
            self.wait(begun).await;
        }
    }

    /// Waits until there may be something to see. Whoever waits has looked since `begun`.
    async fn wait(&mut self, begun: Instant) {
        // With thousands of files, looking must not become all there is to do.
        let pause = (10 * begun.elapsed()).clamp(GATHER, QUIET);
        let poll = (self.polls && self.folders.is_blind()).then(|| Instant::now() + POLL);
        let is_awake = match self.due.into_iter().chain(poll).min() {
            Some(due) => timeout_at(due, self.folders.wake()).await.is_ok(),
            None => {
                self.folders.wake().await;
                true
            }
        };
        if is_awake {
            sleep(pause).await;
        }
    }

    /// Whether a change is due to be told. A change puts that off, anything else that happens does not.
    fn is_due(&mut self) -> bool {
        let is_new = self.look();
        let now = Instant::now();
        if self.places.changed().is_none() {
            self.due = None;
            return false;
        }
        match self.due {
            Some(due) if !is_new && due <= now => {
                self.due = None;
                return true;
            }
            Some(_) if !is_new => {}
            _ => self.due = Some(now + if self.places.is_one_gone() { GONE } else { QUIET }),
        }
        false
    }

    /// Looks at all files, and watches the folders that decide how they are. Whether anything is new.
    fn look(&mut self) -> bool {
        self.folders.catch_up();
        let mut is_any_new = false;
        for _ in 0..MAX_LOOKS {
            let Look { is_new, mut folders } = self.places.look();
            is_any_new |= is_new;
            folders.extend(self.report_folder.clone());
            let cannot = |folder: &Path, why: &str| {
                (self.cannot)(&format!("cannot watch {}: {why}", self.places.shown(folder)));
            };
            // What happened before a folder was watched, only another look shows.
            if !self.folders.watch(&folders, cannot) {
                break;
            }
        }
        is_any_new
    }
}

/// Who hears what cannot be watched.
type Hearer<'a> = Box<dyn Fn(&str) + 'a>;

/// Watches the files of one run.
pub(crate) struct RunWatcher<'a> {
    files: FileWatcher<Hearer<'a>>,
    reports: Reports,
}

impl<'a> RunWatcher<'a> {
    /// Watches `files`, `.env`, and what `report` says. `cannot` hears a line for each folder that cannot be watched.
    ///
    /// # Errors
    /// The system may refuse to watch.
    pub(crate) fn new(files: &[PathBuf], report: &Report, cannot: impl Fn(&str) + 'a) -> notify::Result<Self> {
        let cannot: Hearer<'a> = Box::new(cannot);
        let report_folder = Some(report.folder().to_owned());
        let mut watcher = RunWatcher {
            files: FileWatcher { report_folder, ..FileWatcher::of(Folders::new()?, cannot) },
            reports: Reports::of(report)?,
        };
        for file in files.iter().map(PathBuf::as_path).chain([Path::new(".env")]) {
            if let Ok(file) = std::path::absolute(file) {
                watcher.files.add(Reported::now(&file, What::Read));
            }
        }
        watcher.look();
        Ok(watcher)
    }

    /// A run is about to begin: it will find everything as it is now.
    pub(crate) fn begin(&mut self) {
        self.look();
        self.files.places.accept();
        self.files.due = None;
    }

    /// Resolves to the name of a file that has changed, once it is whole. Can be asked again at any time.
    pub(crate) async fn changed(&mut self) -> String {
        loop {
            let begun = Instant::now();
            self.take_reports();
            if self.files.is_due()
                && let Some(file) = self.files.places.changed()
            {
                self.files.places.accept();
                return file;
            }
            self.files.wait(begun).await;
        }
    }

    fn look(&mut self) {
        self.take_reports();
        self.files.look();
    }

    fn take_reports(&mut self) {
        self.reports.by_ref().for_each(|reported| self.files.add(reported));
    }
}
