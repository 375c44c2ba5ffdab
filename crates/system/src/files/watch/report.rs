//! The report in which a run lists its files for a watcher: one line of JSON per file.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::watched_files::{FileState, state_below, state_of};

pub struct FileReport(PathBuf);

impl FileReport {
    pub fn new() -> io::Result<Self> {
        // In its own folder, as the shared temporary folder changes often.
        let name = format!("lmthing-{}-{:016x}", std::process::id(), fastrand::u64(..));
        let folder = fs::canonicalize(std::env::temp_dir())?.join(name);
        fs::create_dir(&folder)?;
        let report = FileReport(folder.join("files"));
        File::create(&report.0)?;
        Ok(report)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn all(&self) -> Vec<ReportedFile> {
        ReportReader::of(self).map(Iterator::collect).unwrap_or_default()
    }

    /// The folder of the report, which contains nothing else.
    pub(super) fn folder(&self) -> &Path {
        self.0.parent().unwrap_or(&self.0)
    }
}

impl Drop for FileReport {
    fn drop(&mut self) {
        // Leftovers are in a folder that the system cleans.
        let _ = fs::remove_file(&self.0);
        let _ = fs::remove_dir(self.folder());
    }
}

/// Writes a report; does nothing if the run is not watched.
#[derive(Clone, Default)]
pub struct FileReporter(Option<Arc<ReportWriter>>);

struct ReportWriter {
    file: File,
    reported: Mutex<HashSet<PathBuf>>,
}

impl FileReporter {
    /// Appends to the report at this path, if there is one.
    pub fn to(report: Option<&Path>) -> io::Result<Self> {
        let open = |path| OpenOptions::new().create(true).append(true).open(path);
        let file = report.map(open).transpose()?;
        Ok(FileReporter(file.map(|file| Arc::new(ReportWriter { file, reported: Mutex::default() }))))
    }

    /// Whether the run is watched.
    pub fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    /// Reports that the run is about to read `file`, which may not exist.
    pub fn note_read(&self, file: &Path) {
        let Some(lines) = &self.0 else { return };
        if lines.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned()) {
            lines.write(file, FileUse::Read);
        }
    }

    /// Reports that the run uses all prompt files below `folder`.
    pub fn searched(&self, folder: &Path) {
        if let Some(lines) = &self.0 {
            lines.write(folder, FileUse::Searched);
        }
    }

    /// Reports that the run itself has written `file` or left it unchanged, so it has seen the current state.
    pub fn wrote(&self, file: &Path) {
        if let Some(lines) = &self.0 {
            lines.write(file, FileUse::Wrote);
        }
    }
}

impl ReportWriter {
    fn write(&self, file: &Path, what: FileUse) {
        // On a failure this file is not watched.
        let _ = (&self.file).write_all(reported(file, what).as_bytes());
    }
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedFile {
    pub(super) file: PathBuf,
    /// The state when it was reported. Later changes may be unknown to the run, no matter when the report is read.
    pub(super) state: FileState,
    pub(super) what: FileUse,
}

impl ReportedFile {
    pub fn now(file: &Path, what: FileUse) -> Self {
        let (state, _) = match what {
            FileUse::Searched => state_below(file),
            FileUse::Read | FileUse::Wrote => (state_of(file), Default::default()),
        };
        ReportedFile { file: file.to_owned(), state, what }
    }

    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// What a run does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileUse {
    Read,
    /// The run has written it.
    Wrote,
    /// The run uses all prompt files in this folder.
    Searched,
}

fn reported(file: &Path, what: FileUse) -> String {
    let reported = std::path::absolute(file).map(|file| ReportedFile::now(&file, what));
    let line = reported.ok().and_then(|reported| serde_json::to_string(&reported).ok());
    // Imports cannot contain a name that JSON cannot represent.
    line.map(|line| line + "\n").unwrap_or_default()
}

/// Reads a report while it is written.
pub(super) struct ReportReader {
    file: BufReader<File>,
    /// The start of an incomplete line.
    line: String,
}

impl ReportReader {
    pub(super) fn of(report: &FileReport) -> io::Result<Self> {
        Ok(ReportReader { file: BufReader::new(File::open(report.path())?), line: String::new() })
    }
}

impl Iterator for ReportReader {
    type Item = ReportedFile;

    /// The next complete line.
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
