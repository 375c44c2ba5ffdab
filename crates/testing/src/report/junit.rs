//! JUnit XML named as Vitest does: a suite for each file, a case for each test.

use std::{path::PathBuf, time::Duration};

use jiff::Timestamp;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

use super::{
    End, Output, Reporter,
    pretty::FailureText,
    safe_text::{one_line, visible},
};
use crate::{
    outcome::{Failure, FileOutcome, State, TestOutcome},
    recordings::RecordedUse,
};

pub struct JUnit {
    text: FailureText,
    report: Report,
}

impl JUnit {
    /// File names are shown relative to `folder`.
    pub fn new(folder: PathBuf) -> Self {
        JUnit { text: FailureText::plain(folder), report: Report::new("lmthing tests") }
    }

    fn case(&self, file: &str, test: &TestOutcome) -> TestCase {
        let status = match test.state {
            State::Passed => TestCaseStatus::success(),
            State::Failed => self.failed(NonSuccessKind::Failure, &test.failures, Some(test)),
            State::Skipped => skipped(test.note.as_deref()),
            State::Todo => skipped(test.note.as_deref().or(Some("todo"))),
        };
        let mut case = TestCase::new(xml(&one_line(&test.full_name())), status);
        case.set_classname(xml(file)).set_time(test.took.unwrap_or_default());
        if let (State::Passed, Some(note)) = (test.state, &test.note) {
            case.set_system_out(xml(&visible(note)));
        }
        case
    }

    fn error(&self, file: &str, error: &Failure) -> TestCase {
        let status = self.failed(NonSuccessKind::Error, std::slice::from_ref(error), None);
        let name = error.context.as_deref().unwrap_or(file);
        let mut case = TestCase::new(xml(&one_line(name)), status);
        case.set_classname(xml(file)).set_time(Duration::ZERO);
        case
    }

    /// The schema allows one failure in a case: the others go into its text.
    fn failed(&self, kind: NonSuccessKind, failures: &[Failure], test: Option<&TestOutcome>) -> TestCaseStatus {
        let mut status = TestCaseStatus::non_success(kind);
        // The schema requires a type in any case.
        status.set_type("Error");
        if let [first, others @ ..] = failures {
            let more = if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
            // Readers turn line feeds in attributes into spaces; the text keeps them.
            status.set_message(xml(&format!("{}{more}", one_line(&first.diagnostic.message))));
            if !first.diagnostic.name.is_empty() {
                status.set_type(xml(&one_line(&first.diagnostic.name)));
            }
        }
        let text = |failure: &Failure| {
            let context = failure.context.as_ref().map(|context| format!("[{}]\n", one_line(context)));
            format!("{}{}", context.unwrap_or_default(), self.text.of(failure, test))
        };
        let texts: Vec<String> = failures.iter().map(text).collect();
        status.set_description(xml(texts.join("\n").trim_end()));
        status
    }
}

impl Reporter for JUnit {
    fn file(&mut self, file: &FileOutcome) -> Output {
        let name = one_line(&file.file.display().to_string());
        let mut suite = TestSuite::new(xml(&name));
        suite.timestamp = Timestamp::try_from(file.began).ok().and_then(|at| at.to_string().parse().ok());
        suite.set_time(file.took);
        suite.add_test_cases(file.tests.iter().map(|test| self.case(&name, test)));
        suite.add_test_cases(file.errors.iter().map(|error| self.error(&name, error)));
        suite.add_properties(file.notes.iter().map(|note| (xml("note"), xml(&visible(note)))));
        suite.add_properties(recorded(&file.recorded));
        self.report.add_test_suite(suite);
        Output::default()
    }

    fn end(&mut self, end: &End<'_>) -> Output {
        self.report.set_time(end.totals.took);
        let document = self.report.to_string().expect("XML is written to memory, where there is always room");
        // The schema allows `skipped` on suites only. The first occurrence is that of the root.
        let unknown = format!(" skipped=\"{}\"", self.report.skipped);
        Output::stdout(document.replacen(&unknown, "", 1))
    }
}

/// Sums over all suites are those of the whole run.
fn recorded(recorded: &RecordedUse) -> Vec<(XmlString, XmlString)> {
    let RecordedUse { answers, tokens, cost } = recorded;
    if *answers == 0 {
        return Vec::new();
    }
    let cost = cost.map_or_else(|| "unknown".to_owned(), |cost| format!("{cost:.8}"));
    let property = |name: &str, value: String| (xml(&format!("recordings.{name}")), xml(&value));
    vec![property("answers", answers.to_string()), property("tokens", tokens.to_string()), property("cost", cost)]
}

fn skipped(reason: Option<&str>) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    if let Some(reason) = reason {
        status.set_message(xml(&one_line(reason)));
    }
    status
}

/// `quick-junit` removes control characters; XML forbids two more.
fn xml(text: &str) -> XmlString {
    XmlString::new(text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        outcome::Totals,
        report::samples::{Sample, failure, file, test},
    };
    use lmthing_base::diagnostic::Diagnostic;

    fn document(folder: PathBuf, files: &[FileOutcome], totals: &Totals) -> String {
        let mut junit = JUnit::new(folder);
        for file in files {
            assert_eq!(junit.file(file), Output::default());
        }
        junit.end(&End { totals, is_ok: false, notes: &[] }).stdout
    }

    #[test]
    fn files_are_suites_and_tests_are_cases() {
        let sample = Sample::new();
        insta::assert_snapshot!(document(sample.style(false).folder, &sample.files, &sample.totals()));
    }

    #[test]
    fn no_character_makes_xml_invalid() {
        let all: String = ('\u{0}'..='\u{ff}').chain(['\u{fffe}', '\u{ffff}', '\u{2028}', '😀']).collect();
        let wrong = Diagnostic { name: all.clone(), ..Diagnostic::new(all.clone()) };
        let test = TestOutcome { failures: vec![failure(wrong)], ..test(&[], &all, State::Failed, None) };
        let document = document(PathBuf::new(), &[file(&all, vec![test])], &Totals::default());
        let is_valid =
            |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        assert_eq!(document.chars().filter(|c| !is_valid(*c)).collect::<String>(), "");
        assert!(document.contains("&amp;") && document.contains("&lt;") && document.contains("😀"));
    }
}
