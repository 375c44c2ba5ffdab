//! Watches the files of a run.
//!
//! Events of the system only wake the watcher; the states of the files decide whether something has changed. Lost, duplicate and
//! irrelevant events are therefore harmless.

mod folder_watcher;
mod prompt_file_set;
mod report;
mod watched_files;

use std::path::{Path, PathBuf};

use tokio::time::{Duration, Instant, sleep, timeout_at};

use folder_watcher::FolderWatcher;
use report::ReportReader;
pub use report::{FileReport, FileReporter, FileUse, ReportedFile};
use watched_files::{CheckResult, WatchedFiles};

/// How long no file must change before a change is reported, as editors write in several steps.
const QUIET_TIME: Duration = Duration::from_millis(80);

/// How long a file may be missing while it is being replaced.
const REPLACE_TIME: Duration = Duration::from_millis(400);

/// How long events are gathered before the files are checked: in a busy folder they never end.
const GATHER_TIME: Duration = Duration::from_millis(15);

const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// How often new folders may appear while others are added to the watch.
const MAX_ROUNDS: usize = 20;

/// Watches files through their folders.
pub struct FileWatcher<C> {
    folders: FolderWatcher,
    watched: WatchedFiles,
    /// The folder of the report, which is watched as well.
    report_folder: Option<PathBuf>,
    /// When a detected change is reported, unless another follows.
    due: Option<Instant>,
    on_unwatchable: C,
    /// Whether to check periodically where the system cannot watch.
    polls: bool,
}

impl<C: Fn(&str)> FileWatcher<C> {
    /// A watcher without files. Where the system cannot watch, the files are checked periodically. `on_unwatchable` is called with a message
    /// for each such folder.
    pub fn polling(on_unwatchable: C) -> Self {
        let folders = FolderWatcher::new().unwrap_or_else(|_| FolderWatcher::unavailable());
        FileWatcher { polls: true, ..FileWatcher::of(folders, on_unwatchable) }
    }

    fn of(folders: FolderWatcher, on_unwatchable: C) -> Self {
        let watched = WatchedFiles::new(std::env::current_dir().unwrap_or_default());
        FileWatcher { folders, watched, report_folder: None, due: None, on_unwatchable, polls: false }
    }

    /// Adds a file, or a folder of prompt files.
    pub fn add(&mut self, ReportedFile { file, state, what }: ReportedFile) {
        match what {
            FileUse::Read => self.watched.add(file, state),
            FileUse::Wrote => self.watched.set(file, state),
            FileUse::Searched => self.watched.add_tree(file, state),
        }
    }

    /// Resolves to the changed files once the change is complete. Cancel safe.
    pub async fn changed(&mut self) -> Vec<PathBuf> {
        loop {
            let begun = Instant::now();
            if self.is_due() {
                let changed = self.watched.all_changed();
                self.watched.accept();
                return changed;
            }
            self.wait(begun).await;
        }
    }

    /// Waits until a file may have changed. The last check started at `begun`.
    async fn wait(&mut self, begun: Instant) {
        // With thousands of files, checking must not take all the time.
        let pause = (10 * begun.elapsed()).clamp(GATHER_TIME, QUIET_TIME);
        let poll = (self.polls && self.folders.has_blind_spots()).then(|| Instant::now() + POLL_INTERVAL);
        let is_awake = match self.due.into_iter().chain(poll).min() {
            Some(due) => timeout_at(due, self.folders.next_event()).await.is_ok(),
            None => {
                self.folders.next_event().await;
                true
            }
        };
        if is_awake {
            sleep(pause).await;
        }
    }

    /// Whether a change is to be reported now. Another change delays the report; other events do not.
    fn is_due(&mut self) -> bool {
        let is_new = self.check();
        let now = Instant::now();
        if self.watched.changed().is_none() {
            self.due = None;
            return false;
        }
        match self.due {
            Some(due) if !is_new && due <= now => {
                self.due = None;
                return true;
            }
            Some(_) if !is_new => {}
            _ => self.due = Some(now + if self.watched.is_file_missing() { REPLACE_TIME } else { QUIET_TIME }),
        }
        false
    }

    /// Checks all files, and watches the folders that determine their states. Returns whether a state is new.
    fn check(&mut self) -> bool {
        self.folders.handle_pending();
        let mut is_any_new = false;
        for _ in 0..MAX_ROUNDS {
            let CheckResult { is_new, mut folders } = self.watched.check();
            is_any_new |= is_new;
            folders.extend(self.report_folder.clone());
            let on_unwatchable = |folder: &Path, why: &str| {
                (self.on_unwatchable)(&format!("cannot watch {}: {why}", self.watched.shown(folder)));
            };
            // Changes from before a folder was watched are only found by another check.
            if !self.folders.watch(&folders, on_unwatchable) {
                break;
            }
        }
        is_any_new
    }
}

type WarningHandler<'a> = Box<dyn Fn(&str) + 'a>;

pub struct RunWatcher<'a> {
    files: FileWatcher<WarningHandler<'a>>,
    reports: ReportReader,
}

impl<'a> RunWatcher<'a> {
    /// Watches `files`, `.env`, and the files of `report`. `on_unwatchable` is called with a message for each folder that cannot be watched.
    pub fn new(files: &[PathBuf], report: &FileReport, on_unwatchable: impl Fn(&str) + 'a) -> notify::Result<Self> {
        let on_unwatchable: WarningHandler<'a> = Box::new(on_unwatchable);
        let report_folder = Some(report.folder().to_owned());
        let mut watcher = RunWatcher {
            files: FileWatcher { report_folder, ..FileWatcher::of(FolderWatcher::new()?, on_unwatchable) },
            reports: ReportReader::of(report)?,
        };
        for file in files.iter().map(PathBuf::as_path).chain([Path::new(".env")]) {
            if let Ok(file) = std::path::absolute(file) {
                watcher.files.add(ReportedFile::now(&file, FileUse::Read));
            }
        }
        watcher.check();
        Ok(watcher)
    }

    /// Accepts the current states, which the next run will read.
    pub fn begin(&mut self) {
        self.check();
        self.files.watched.accept();
        self.files.due = None;
    }

    /// Resolves to the name of a changed file once the change is complete. Cancel safe.
    pub async fn changed(&mut self) -> String {
        loop {
            let begun = Instant::now();
            self.take_reports();
            if self.files.is_due()
                && let Some(file) = self.files.watched.changed()
            {
                self.files.watched.accept();
                return file;
            }
            self.files.wait(begun).await;
        }
    }

    fn check(&mut self) {
        self.take_reports();
        self.files.check();
    }

    fn take_reports(&mut self) {
        self.reports.by_ref().for_each(|reported| self.files.add(reported));
    }
}
