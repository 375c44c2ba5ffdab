//! A JSON document in the format of Vitest and Jest.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde_json::{Map, Value, json};

use super::{
    End, Output, Reporter,
    safe_text::{headline, milliseconds, place},
    tree,
};
use crate::outcome::{Failure, FileOutcome, Snapshots, State, TestOutcome};
use lmthing_base::diagnostic::{Diagnostic, Frame, Location};

pub struct Json {
    folder: PathBuf,
    began: SystemTime,
    files: Vec<Value>,
    /// The number of files and `describe` blocks, and of those that failed.
    suites: (usize, usize),
    snapshot_files: SnapshotFiles,
    notes: Vec<String>,
}

#[derive(Default)]
struct SnapshotFiles {
    added: usize,
    unmatched: usize,
    updated: usize,
}

impl Json {
    pub fn new(folder: PathBuf) -> Self {
        let began = SystemTime::UNIX_EPOCH;
        let snapshot_files = SnapshotFiles::default();
        Json { folder, began, files: Vec::new(), suites: (0, 0), snapshot_files, notes: Vec::new() }
    }

    fn count(&mut self, file: &FileOutcome) {
        let (all, failed) = &mut self.suites;
        *all += 1;
        *failed += usize::from(!file.is_ok());
        for node in tree::top_level(&file.tests) {
            let (inner, inner_failed) = node.count();
            *all += inner;
            *failed += inner_failed;
        }
        self.snapshot_files.added += usize::from(file.snapshots.written > 0);
        self.snapshot_files.unmatched += usize::from(file.snapshots.unmatched > 0);
        self.snapshot_files.updated += usize::from(file.snapshots.updated > 0);
    }

    fn snapshot(&self, snapshots: &Snapshots) -> Value {
        let Snapshots { matched, unmatched, written, updated, removed, obsolete } = *snapshots;
        json!({
            "added": written,
            "failure": false,
            "filesAdded": self.snapshot_files.added,
            "filesRemoved": 0,
            "filesRemovedList": [],
            "filesUnmatched": self.snapshot_files.unmatched,
            "filesUpdated": self.snapshot_files.updated,
            "matched": matched,
            "total": matched + unmatched + written + updated,
            // Removed snapshots are counted here; `didUpdate` is set for them.
            "unchecked": obsolete + removed,
            "uncheckedKeysByFile": [],
            "unmatched": unmatched,
            "updated": updated,
            "didUpdate": updated + removed > 0,
        })
    }
}

impl Reporter for Json {
    fn begin(&mut self, files: usize, at: SystemTime) -> Output {
        self.began = at;
        self.files.reserve(files);
        Output::default()
    }

    fn file(&mut self, file: &FileOutcome) -> Output {
        self.count(file);
        self.notes.extend(file.notes.iter().map(|note| format!("{}: {note}", file.file.display())));
        let errors: Vec<String> = file.errors.iter().map(|error| stack(error, None)).collect();
        self.files.push(json!({
            "assertionResults": file.tests.iter().map(assertion).collect::<Vec<_>>(),
            "startTime": whole(since_epoch(file.began)),
            "endTime": milliseconds(since_epoch(file.began) + file.took),
            "status": if file.is_ok() { "passed" } else { "failed" },
            "message": errors.join("\n\n"),
            "name": absolute(&self.folder, &file.file),
        }));
        Output::default()
    }

    fn end(&mut self, end: &End<'_>) -> Output {
        let (suites, failed_suites) = self.suites;
        let totals = end.totals;
        let document = json!({
            "numTotalTestSuites": suites,
            "numPassedTestSuites": suites - failed_suites,
            "numFailedTestSuites": failed_suites,
            "numPendingTestSuites": 0,
            "numTotalTests": totals.passed + totals.failed + totals.skipped + totals.todo,
            "numPassedTests": totals.passed,
            "numFailedTests": totals.failed,
            "numPendingTests": totals.skipped,
            "numTodoTests": totals.todo,
            "snapshot": self.snapshot(&totals.snapshots),
            // Not in Vitest's document.
            "recordings": {
                "answers": totals.recorded.answers,
                "tokens": totals.recorded.tokens,
                "cost": totals.recorded.cost,
            },
            "startTime": whole(since_epoch(self.began)),
            "success": end.is_ok,
            "testResults": std::mem::take(&mut self.files),
        });
        // The format has no field for notes.
        let notes = self.notes.iter().chain(end.notes);
        let notes = notes.map(|note| format!("note: {}\n", super::safe_text::visible(note))).collect();
        Output { stdout: format!("{document}\n"), stderr: notes }
    }
}

fn assertion(test: &TestOutcome) -> Value {
    let status = match test.state {
        State::Passed => "passed",
        State::Failed => "failed",
        State::Skipped => "skipped",
        State::Todo => "todo",
    };
    let names: Vec<&str> = test.ancestors.iter().chain([&test.title]).map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let mut object = Map::new();
    let mut add = |key: &str, value: Value| object.insert(key.to_owned(), value);
    add("ancestorTitles", json!(test.ancestors));
    add("fullName", json!(names.join(" ")));
    add("status", json!(status));
    add("title", json!(test.title));
    if let Some(took) = test.took {
        add("duration", milliseconds(took));
    }
    let failures: Vec<String> = test.failures.iter().map(|failure| stack(failure, Some(test))).collect();
    add("failureMessages", json!(failures));
    if let Some(Location { line, column, .. }) = test.place {
        add("location", json!({ "line": line, "column": column }));
    }
    add("meta", test.note.as_ref().map_or(json!({}), |note| json!({ "note": note })));
    add("tags", json!([]));
    Value::Object(object)
}

/// The text of `error.stack` in Node, followed by diff, causes and hint.
fn stack(failure: &Failure, test: Option<&TestOutcome>) -> String {
    let context = failure.context.as_ref().map(|context| format!("[{context}] ")).unwrap_or_default();
    let mut text = format!("{context}{}", headline(&failure.diagnostic));
    if let Some(diff) = &failure.diff {
        text += &format!("\n\n{}\n", diff.trim_end());
    }
    text += &calls(&failure.diagnostic, place(failure, test));
    let mut causes: Vec<&Diagnostic> = failure.diagnostic.causes.iter().rev().collect();
    while let Some(cause) = causes.pop() {
        text += &format!("\nCaused by: {}{}", headline(cause), calls(cause, cause.location.as_ref()));
        causes.extend(cause.causes.iter().rev());
    }
    let hint = failure.diagnostic.hint.as_ref().map(|hint| format!("\nhint: {hint}"));
    text + &hint.unwrap_or_default()
}

fn calls(diagnostic: &Diagnostic, place: Option<&Location>) -> String {
    let at = |Location { path, line, column }: &Location| format!("{path}:{line}:{column}");
    let call = |frame: &Frame| match &frame.function {
        Some(function) => format!("\n    at {function} ({})", at(&frame.location)),
        None => format!("\n    at {}", at(&frame.location)),
    };
    match place {
        Some(place) if diagnostic.stack.is_empty() => format!("\n    at {}", at(place)),
        _ => diagnostic.stack.iter().map(call).collect(),
    }
}

/// The real path of a file that may not exist.
fn absolute(folder: &Path, file: &Path) -> PathBuf {
    let path = folder.join(file);
    path.canonicalize().unwrap_or_else(|_| path.components().collect())
}

fn since_epoch(at: SystemTime) -> Duration {
    at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// In milliseconds.
fn whole(time: Duration) -> Value {
    json!(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::Sample;

    #[test]
    fn the_shape_is_that_of_vitest() {
        let sample = Sample::new();
        let mut json = Json::new(sample.style(false).folder);
        json.begin(sample.files.len(), SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_000));
        for file in &sample.files {
            assert_eq!(json.file(file), Output::default());
        }
        let notes = ["weather.recording.json was written".to_owned()];
        let Output { stdout, stderr } = json.end(&End { totals: &sample.totals(), is_ok: false, notes: &notes });
        assert!(stdout.ends_with("}\n") && !stdout.trim_end().contains('\n'));
        assert_eq!(
            stderr,
            "note: cart.test.lmt.mjs: 1 snapshot is obsolete: cart > old 1\nnote: weather.recording.json was written\n"
        );
        let document: Value = serde_json::from_str(&stdout).unwrap();
        insta::assert_snapshot!(sample.without_folder(&format!("{document:#}")));
    }
}
