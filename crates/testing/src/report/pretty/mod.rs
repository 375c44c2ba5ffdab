//! The report for people, as Vitest's: a line for each file and its notable tests, each distinct failure with its
//! source, and the summary.

mod failure;
mod file_lines;
mod summary;

use std::{path::Path, time::SystemTime};

use indexmap::IndexMap;

pub(super) use self::failure::FailureText;
use self::{file_lines::file_lines, summary::summary};
use super::{End, Output, ReportStyle, Reporter, paint::Paint, safe_text};
use crate::outcome::{Failure, FileOutcome, TestOutcome};

pub struct Pretty {
    paint: Paint,
    text: FailureText,
    files: usize,
    failures: IndexMap<String, Vec<String>>,
    notes: Vec<String>,
}

impl Pretty {
    pub fn new(style: &ReportStyle) -> Self {
        Pretty {
            paint: Paint::new(style.has_colours),
            text: FailureText::new(style),
            files: 0,
            failures: IndexMap::new(),
            notes: Vec::new(),
        }
    }

    fn add_failure(&mut self, file: &Path, test: Option<&TestOutcome>, failure: &Failure) {
        let name = test.map(|test| format!(" > {}", test.full_name())).unwrap_or_default();
        let context = failure.context.as_ref().map(|context| format!(" [{context}]")).unwrap_or_default();
        let name = safe_text::one_line(&format!("{}{name}{context}", file.display()));
        self.failures.entry(self.text.of(failure, test)).or_default().push(name);
    }

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
        let lines = notes.map(|note| format!("{} {}\n", self.paint.yellow("note:"), safe_text::visible(note)));
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
            self.add_failure(&file.file, None, error);
        }
        for test in &file.tests {
            for failure in &test.failures {
                self.add_failure(&file.file, Some(test), failure);
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
    use crate::{
        outcome::{State, Totals},
        report::samples::{Sample, failure, file, test},
    };

    fn report(sample: &Sample, files: &[FileOutcome], has_colours: bool) -> String {
        let mut pretty = Pretty::new(&sample.style(has_colours));
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
    fn equal_failures_are_shown_once_with_their_source() {
        let sample = Sample::new();
        insta::assert_snapshot!(report(&sample, &sample.files, false));
    }

    #[test]
    fn all_tests_of_a_single_file_are_listed() {
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
    fn an_empty_run_has_a_summary() {
        let sample = Sample::new();
        let shown = report(&sample, &[], false);
        assert!(shown.contains(" Test Files  no test files\n      Tests  no tests\n"), "{shown}");
    }

    #[test]
    fn equal_failures_of_many_tests_are_shown_once() {
        let sample = Sample::new();
        let failing = |row: usize| TestOutcome {
            failures: vec![failure(lmthing_base::diagnostic::Diagnostic::new("no key"))],
            ..test(&[], &format!("row {row}"), State::Failed, Some(1))
        };
        let shown = report(&sample, &[file("a.test.lmt.mjs", (0..1000).map(failing).collect())], false);
        assert_eq!(shown.matches("Error: no key").count(), 1);
        assert_eq!(shown.matches(" FAIL ").count(), 1000);
    }
}
