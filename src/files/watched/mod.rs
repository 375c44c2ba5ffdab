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
use places::{Look, Places, state_of};
pub(crate) use report::{Report, Reporter};
use report::{Reported, Reports, What};

/// How long nothing must change any more: editors write in several steps.
const QUIET: Duration = Duration::from_millis(80);

/// How long a file may be gone in the middle of being replaced.
const GONE: Duration = Duration::from_millis(400);

/// How long events are gathered before anybody looks: in a busy folder they never end.
const GATHER: Duration = Duration::from_millis(15);

/// How often folders may come while others are being watched.
const MAX_LOOKS: usize = 20;

/// Watches files, through the folders they are in.
pub(crate) struct Watched<'a> {
    folders: Folders,
    places: Places,
    reports: Reports,
    report_folder: PathBuf,
    /// When a change that was seen is told, unless more comes.
    due: Option<Instant>,
    cannot: Box<dyn Fn(&str) + 'a>,
}

impl<'a> Watched<'a> {
    /// Watches `files`, `.env`, and what `report` says. `cannot` hears a line for each folder that cannot be watched.
    ///
    /// # Errors
    /// The system may refuse to watch.
    pub(crate) fn new(files: &[PathBuf], report: &Report, cannot: impl Fn(&str) + 'a) -> notify::Result<Self> {
        let mut watched = Watched {
            folders: Folders::new()?,
            places: Places::new(std::env::current_dir().unwrap_or_default()),
            reports: Reports::of(report)?,
            report_folder: report.folder().to_owned(),
            due: None,
            cannot: Box::new(cannot),
        };
        for file in files.iter().map(PathBuf::as_path).chain([Path::new(".env")]) {
            if let Ok(file) = std::path::absolute(file) {
                let state = state_of(&file);
                watched.places.add(file, state);
            }
        }
        watched.look();
        Ok(watched)
    }

    /// A run is about to begin: it will find everything as it is now.
    pub(crate) fn begin(&mut self) {
        self.look();
        self.places.accept();
        self.due = None;
    }

    /// Resolves to the name of a file that has changed, once it is whole. Can be asked again at any time.
    pub(crate) async fn changed(&mut self) -> String {
        loop {
            let begun = Instant::now();
            if let Some(file) = self.find_change() {
                return file;
            }
            // With thousands of files, looking must not become all there is to do.
            let pause = (10 * begun.elapsed()).clamp(GATHER, QUIET);
            let is_awake = match self.due {
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
    }

    /// The file of which a change is due to be told. A change puts that off, anything else that happens does not.
    fn find_change(&mut self) -> Option<String> {
        let is_new = self.look();
        let now = Instant::now();
        let Some(file) = self.places.changed() else {
            self.due = None;
            return None;
        };
        match self.due {
            Some(due) if !is_new && due <= now => {
                self.due = None;
                self.places.accept();
                return Some(file);
            }
            Some(_) if !is_new => {}
            _ => self.due = Some(now + if self.places.is_one_gone() { GONE } else { QUIET }),
        }
        None
    }

    /// Looks at all files, and watches the folders that decide how they are. Whether anything is new.
    fn look(&mut self) -> bool {
        self.folders.catch_up();
        for Reported { file, state, what } in self.reports.by_ref() {
            match what {
                What::Read => self.places.add(file, state),
                What::Wrote => self.places.set(file, state),
                What::Searched => self.places.add_tree(file, state),
            }
        }
        let mut is_any_new = false;
        for _ in 0..MAX_LOOKS {
            let Look { is_new, mut folders } = self.places.look();
            is_any_new |= is_new;
            folders.insert(self.report_folder.clone());
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
