//! The report for people: a line for each file and what in it is not as it should be, then each failure once with the source it
//! points to, then the sums. Looks as Vitest's. Must not know where it is shown.

mod counts;
mod failure;
mod lines;

use std::{path::Path, time::SystemTime};

use indexmap::IndexMap;

pub(super) use self::failure::FailureText;
use self::{counts::summary, lines::file_lines};
use super::{End, Look, Output, Reporter, shown, style::Paint};
use crate::testing::outcome::{Failure, FileOutcome, TestOutcome};

/// What makes the report.
pub(crate) struct Pretty {
    paint: Paint,
    text: FailureText,
    /// How many files there are.
    files: usize,
    /// The text of each failure, and who failed by it.
    failures: IndexMap<String, Vec<String>>,
    /// What was to be said of files.
    notes: Vec<String>,
}

impl Pretty {
    /// A report that looks so.
    pub(crate) fn new(look: &Look) -> Self {
        Pretty {
            paint: Paint::new(look.has_colours),
            text: FailureText::new(look),
            files: 0,
            failures: IndexMap::new(),
            notes: Vec::new(),
        }
    }

    fn keep(&mut self, file: &Path, test: Option<&TestOutcome>, failure: &Failure) {
        let name = test.map(|test| format!(" > {}", test.full_name())).unwrap_or_default();
        let context = failure.context.as_ref().map(|context| format!(" [{context}]")).unwrap_or_default();
        let name = shown::one_line(&format!("{}{name}{context}", file.display()));
        self.failures.entry(self.text.of(failure, test)).or_default().push(name);
    }

    /// The failures one after the other, each behind those who failed by it.
    fn failures(&self) -> String {
        let mut text = String::new();
        for (failure, names) in &self.failures {
            text += "\n";
            for name in names {
                text += &format!("{} {}\n", self.paint.badge(" FAIL "), self.paint.bold(name));
            }
            text += failure;
        }
        text
    }

    fn notes(&self, of_run: &[String]) -> String {
        let notes = self.notes.iter().chain(of_run);
        let lines = notes.map(|note| format!("{} {}\n", self.paint.yellow("note:"), shown::visible(note)));
        let lines: String = lines.collect();
        if lines.is_empty() { lines } else { format!("\n{lines}") }
    }
}

impl Reporter for Pretty {
    fn begin(&mut self, files: usize, _: SystemTime) -> Output {
        self.files = files;
        Output::default()
    }

    fn file(&mut self, file: &FileOutcome) -> Output {
        for error in &file.errors {
            self.keep(&file.file, None, error);
        }
        for test in &file.tests {
            for failure in &test.failures {
                self.keep(&file.file, Some(test), failure);
            }
        }
        self.notes.extend(file.notes.iter().map(|note| format!("{}: {note}", file.file.display())));
        Output::stdout(file_lines(file, self.files == 1, self.paint))
    }

    fn end(&mut self, end: &End<'_>) -> Output {
        let summary = summary(end.totals, self.paint);
        Output::stdout(format!("{}{}\n{summary}", self.failures(), self.notes(end.notes)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::testing::{
        outcome::{State, Totals},
        report::samples::{Sample, failure, file, test},
    };

    fn report(sample: &Sample, files: &[FileOutcome], has_colours: bool) -> String {
        let mut pretty = Pretty::new(&sample.look(has_colours));
        let mut text = pretty.begin(files.len(), SystemTime::UNIX_EPOCH).stdout;
        for file in files {
            text += &pretty.file(file).stdout;
        }
        let notes = ["weather.recording.json was written".to_owned()];
        let mut totals = Totals { took: sample.totals().took, ..Totals::default() };
        files.iter().for_each(|file| totals.add(file));
        text + &pretty.end(&End { totals: &totals, is_ok: false, notes: &notes }).stdout
    }

    #[test]
    fn failures_are_told_once_with_their_source() {
        let sample = Sample::new();
        insta::assert_snapshot!(report(&sample, &sample.files, false));
    }

    #[test]
    fn a_single_file_tells_all_its_tests() {
        let sample = Sample::new();
        insta::assert_snapshot!(report(&sample, &sample.files[1..2], false));
    }

    #[test]
    fn colours_are_those_of_vitest() {
        let sample = Sample::new();
        let shown = report(&sample, &sample.files[..1], true);
        for part in [
            "\u{1b}[32m-   \"sum\": 3,\u{1b}[0m\n\u{1b}[31m+   \"sum\": 4,\u{1b}[0m",
            "\u{1b}[37m\u{1b}[41m\u{1b}[1m FAIL \u{1b}[0m",
            " \u{1b}[32m✓\u{1b}[0m repeated line \u{1b}[33m401 ms\u{1b}[0m",
        ] {
            assert!(shown.contains(part), "{part:?} in {shown}");
        }
        assert!(!report(&sample, &sample.files, false).contains('\u{1b}'));
    }

    #[test]
    fn nothing_at_all_is_told_as_well() {
        let sample = Sample::new();
        let shown = report(&sample, &[], false);
        assert!(shown.contains(" Test Files  no test files\n      Tests  no tests\n"), "{shown}");
    }

    #[test]
    fn a_thousand_tests_that_fail_alike_are_one_failure() {
        let sample = Sample::new();
        let failing = |row: usize| TestOutcome {
            failures: vec![failure(crate::diagnostic::Diagnostic::new("no key"))],
            ..test(&[], &format!("row {row}"), State::Failed, Some(1))
        };
        let shown = report(&sample, &[file("a.test.lmt.mjs", (0..1000).map(failing).collect())], false);
        assert_eq!(shown.matches("Error: no key").count(), 1);
        assert_eq!(shown.matches(" FAIL ").count(), 1000);
    }
}
