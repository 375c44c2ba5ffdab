//! How a run tells whoever watches it which files it is made of: a line of JSON for each. Must not know what is done
//! with them.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::places::{State, state_below, state_of};

/// Where a run writes its lines.
pub(crate) struct Report(PathBuf);

impl Report {
    /// An empty one.
    pub(crate) fn new() -> io::Result<Self> {
        // In a folder of its own: the one for everybody's temporary files is a busy place.
        let name = format!("lmthing-{}-{:016x}", std::process::id(), fastrand::u64(..));
        let folder = fs::canonicalize(std::env::temp_dir())?.join(name);
        fs::create_dir(&folder)?;
        let report = Report(folder.join("files"));
        File::create(&report.0)?;
        Ok(report)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// All that was reported by now.
    pub(crate) fn all(&self) -> Vec<Reported> {
        Reports::of(self).map(Iterator::collect).unwrap_or_default()
    }

    /// The folder that it is alone in.
    pub(super) fn folder(&self) -> &Path {
        self.0.parent().unwrap_or(&self.0)
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        // What is left is in a folder that the system empties.
        let _ = fs::remove_file(&self.0);
        let _ = fs::remove_dir(self.folder());
    }
}

/// What a run tells through; to nobody when it is not watched.
#[derive(Clone, Default)]
pub(crate) struct Reporter(Option<Arc<Lines>>);

struct Lines {
    file: File,
    told: Mutex<HashSet<PathBuf>>,
}

impl Reporter {
    /// Tells to the report at this path, if there is one.
    ///
    /// # Errors
    /// The report cannot be written.
    pub(crate) fn to(report: Option<&Path>) -> io::Result<Self> {
        let open = |path| OpenOptions::new().create(true).append(true).open(path);
        let file = report.map(open).transpose()?;
        Ok(Reporter(file.map(|file| Arc::new(Lines { file, told: Mutex::default() }))))
    }

    /// Whether anybody watches.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.is_some()
    }

    /// The run is about to read `file`, whether or not it is there.
    pub(crate) fn looked_for(&self, file: &Path) {
        let Some(lines) = &self.0 else { return };
        if lines.told.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned()) {
            lines.write(file, What::Read);
        }
    }

    /// The run takes all prompt files below `folder`: a change is that one comes or goes.
    pub(crate) fn searched(&self, folder: &Path) {
        if let Some(lines) = &self.0 {
            lines.write(folder, What::Searched);
        }
    }

    /// The run itself has written `file`, or left it as it is: how it is now, it knows.
    pub(crate) fn wrote(&self, file: &Path) {
        if let Some(lines) = &self.0 {
            lines.write(file, What::Wrote);
        }
    }
}

impl Lines {
    fn write(&self, file: &Path, what: What) {
        // Whoever watches will miss this file, no more.
        let _ = (&self.file).write_all(reported(file, what).as_bytes());
    }
}

/// A file that a run reports.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reported {
    pub(super) file: PathBuf,
    /// As it was when it was reported: from there on a change is one that the run may not have seen, however late the report
    /// is read.
    pub(super) state: State,
    /// What the run does with it.
    pub(super) what: What,
}

impl Reported {
    /// The file as it is now, whatever becomes of it.
    pub(crate) fn now(file: &Path, what: What) -> Self {
        let (state, _) = match what {
            What::Searched => state_below(file),
            What::Read | What::Wrote => (state_of(file), Default::default()),
        };
        Reported { file: file.to_owned(), state, what }
    }

    /// Where it is.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }
}

/// What a run does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum What {
    /// It is about to read it.
    Read,
    /// It has made it so itself.
    Wrote,
    /// It takes all prompt files in this folder.
    Searched,
}

fn reported(file: &Path, what: What) -> String {
    let reported = std::path::absolute(file).map(|file| Reported::now(&file, what));
    let line = reported.ok().and_then(|reported| serde_json::to_string(&reported).ok());
    // A name that JSON cannot hold is one that no import can name.
    line.map(|line| line + "\n").unwrap_or_default()
}

/// The lines of a report, as they come.
pub(super) struct Reports {
    file: BufReader<File>,
    /// The beginning of a line that is not whole yet.
    line: String,
}

impl Reports {
    /// From the first one on.
    pub(super) fn of(report: &Report) -> io::Result<Self> {
        Ok(Reports { file: BufReader::new(File::open(report.path())?), line: String::new() })
    }
}

impl Iterator for Reports {
    type Item = Reported;

    /// The next, as far as there are any by now.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.file.read_line(&mut self.line).ok()?;
            if !self.line.ends_with('\n') {
                return None;
            }
            let reported = serde_json::from_str(&self.line);
            self.line.clear();
            if let Ok(reported) = reported {
                return Some(reported);
            }
        }
    }
}
