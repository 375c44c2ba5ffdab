//! TAP 14: a subtest for each file and `describe` block, with failures as YAML.

use std::{
    fmt::Write as _,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use serde::Serialize;
use serde_json::Value;

use super::{
    End, Output, Reporter,
    safe_text::{headline, milliseconds, one_line, place, place_from},
    tree::{self, Node, Suite},
};
use crate::outcome::{Failure, FileOutcome, State, TestOutcome};
use lmthing_base::diagnostic::Frame;

pub struct Tap {
    folder: PathBuf,
    files: usize,
}

impl Tap {
    /// File names are shown relative to `folder`.
    pub fn new(folder: PathBuf) -> Self {
        Tap { folder, files: 0 }
    }

    fn failure(&self, failure: &Failure, test: Option<&TestOutcome>) -> Problem {
        let diagnostic = &failure.diagnostic;
        let call = |frame: &Frame| {
            let place = place_from(&self.folder, &frame.location);
            frame.function.as_ref().map_or(place.clone(), |function| format!("{function} ({place})"))
        };
        Problem {
            message: headline(diagnostic),
            severity: "fail",
            context: failure.context.clone(),
            at: place(failure, test).map(|location| place_from(&self.folder, location)),
            diff: failure.diff.clone(),
            hint: diagnostic.hint.clone(),
            causes: diagnostic.causes.iter().map(headline).collect(),
            stack: diagnostic.stack.iter().map(call).collect(),
        }
    }

    fn problems(&self, test: &TestOutcome) -> Block {
        let mut problems = test.failures.iter().map(|failure| self.failure(failure, Some(test)));
        Block { problem: problems.next(), also: problems.collect(), ..Block::default() }
    }

    fn nodes(&self, out: &mut Lines, nodes: &[Node<'_>], errors: &[Failure]) {
        out.line(format_args!("1..{}", nodes.len() + errors.len()));
        for (index, node) in nodes.iter().enumerate() {
            match node {
                Node::Test(test) => self.test(out, index + 1, test),
                Node::Suite(suite) => self.suite(out, index + 1, suite),
            }
        }
        for (index, error) in errors.iter().enumerate() {
            let name = error.context.as_deref().unwrap_or("outside of tests");
            out.point(Point { is_ok: false, number: nodes.len() + index + 1, name, directive: None });
            out.block(&Block { problem: Some(self.failure(error, None)), ..Block::default() });
        }
    }

    fn test(&self, out: &mut Lines, number: usize, test: &TestOutcome) {
        // A TODO test is `not ok` without being a failure.
        let is_ok = !matches!(test.state, State::Failed | State::Todo);
        let directive = match test.state {
            State::Skipped => Some(("SKIP", test.note.as_deref())),
            State::Todo => Some(("TODO", test.note.as_deref())),
            State::Passed | State::Failed => None,
        };
        out.point(Point { is_ok, number, name: &test.title, directive });
        let note = test.note.clone().filter(|_| directive.is_none());
        let took = test.took.map(milliseconds);
        out.block(&Block { duration_ms: took, note, ..self.problems(test) });
    }

    fn suite(&self, out: &mut Lines, number: usize, suite: &Suite<'_>) {
        out.subtest(suite.title, |out| self.nodes(out, &suite.children(), &[]));
        let directive = are_all_skipped(suite.tests).then_some(("SKIP", None));
        out.point(Point { is_ok: !suite.has_failed(), number, name: suite.title, directive });
        let took: Duration = suite.tests.iter().filter_map(|test| test.took).sum();
        if directive.is_none() {
            out.block(&Block { duration_ms: Some(milliseconds(took)), ..Block::default() });
        }
    }
}

impl Reporter for Tap {
    fn begin(&mut self, files: usize, _: SystemTime) -> Output {
        // After a plan of zero, harnesses ignore a failure.
        let plan = if files > 0 { format!("1..{files}\n") } else { String::new() };
        Output::stdout(format!("TAP version 14\n{plan}"))
    }

    fn file(&mut self, file: &FileOutcome) -> Output {
        self.files += 1;
        let mut out = Lines::default();
        let name = file.file.display().to_string();
        let nodes = tree::top_level(&file.tests);
        if !nodes.is_empty() || !file.errors.is_empty() {
            out.subtest(&name, |out| self.nodes(out, &nodes, &file.errors));
        }
        let directive = (file.is_ok() && are_all_skipped(&file.tests)).then_some(("SKIP", None));
        out.point(Point { is_ok: file.is_ok(), number: self.files, name: &name, directive });
        out.block(&Block { duration_ms: Some(milliseconds(file.took)), ..Block::default() });
        for note in &file.notes {
            out.line(format_args!("# note: {}", one_line(note)));
        }
        Output::stdout(out.text)
    }

    fn end(&mut self, end: &End<'_>) -> Output {
        let mut out = Lines::default();
        for note in end.notes {
            out.line(format_args!("# note: {}", one_line(note)));
        }
        let totals = end.totals;
        for (what, count) in [
            ("tests", totals.passed + totals.failed + totals.skipped + totals.todo),
            ("pass", totals.passed),
            ("fail", totals.failed),
            ("skipped", totals.skipped),
            ("todo", totals.todo),
        ] {
            out.line(format_args!("# {what} {count}"));
        }
        out.line(format_args!("# duration_ms {}", milliseconds(totals.took)));
        if !end.is_ok && totals.files_failed == 0 {
            // No line above reports a failure.
            let reason = end.notes.first().map_or("no test was run".to_owned(), |note| one_line(note));
            out.line(format_args!("Bail out! {reason}"));
        } else if self.files == 0 {
            out.line(format_args!("1..0 # SKIP no tests"));
        }
        Output::stdout(out.text)
    }
}

fn are_all_skipped(tests: &[TestOutcome]) -> bool {
    tests.iter().all(|test| test.state == State::Skipped)
}

#[derive(Default, Serialize)]
struct Block {
    #[serde(flatten)]
    problem: Option<Problem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<Value>,
}

#[derive(Serialize)]
struct Problem {
    message: String,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    causes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stack: Vec<String>,
}

/// `ok 1 - name # SKIP reason`.
#[derive(Clone, Copy)]
struct Point<'a> {
    is_ok: bool,
    number: usize,
    name: &'a str,
    directive: Option<(&'static str, Option<&'a str>)>,
}

#[derive(Default)]
struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{}{line}", "    ".repeat(self.depth)).expect("writing to a string cannot fail");
    }

    fn subtest(&mut self, name: &str, write: impl FnOnce(&mut Lines)) {
        self.line(format_args!("# Subtest: {}", escaped(name)));
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn point(&mut self, Point { is_ok, number, name, directive }: Point<'_>) {
        let verdict = if is_ok { "ok" } else { "not ok" };
        let directive = directive.map_or(String::new(), |(word, reason)| {
            format!(" # {word} {}", reason.map(escaped).unwrap_or_default()).trim_end().to_owned()
        });
        self.line(format_args!("{verdict} {number} - {}{directive}", escaped(name)));
    }

    /// The YAML block after a test point, unless it is empty.
    fn block(&mut self, block: &Block) {
        // Serialization should not fail; if it does, the block is left out.
        let yaml = serde_saphyr::to_string(block).unwrap_or_default();
        if yaml.trim().is_empty() || yaml.trim() == "{}" {
            return;
        }
        self.line(format_args!("  ---"));
        for line in yaml.lines() {
            self.line(format_args!("  {line}"));
        }
        self.line(format_args!("  ..."));
    }
}

/// In one line, without the characters that start a directive.
fn escaped(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('#', "\\#")
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::{
        outcome::Totals,
        report::samples::{Sample, failure, file, test},
    };
    use lmthing_base::diagnostic::Diagnostic;

    #[test]
    fn files_and_blocks_are_subtests() {
        let sample = Sample::new();
        let mut tap = Tap::new(sample.style(false).folder);
        let mut text = tap.begin(sample.files.len(), SystemTime::UNIX_EPOCH).stdout;
        sample.files.iter().for_each(|file| text += &tap.file(file).stdout);
        let notes = ["weather.recording.json was written".to_owned()];
        text += &tap.end(&End { totals: &sample.totals(), is_ok: false, notes: &notes }).stdout;
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_run_without_tests_fails() {
        let mut tap = Tap::new(PathBuf::new());
        let mut text = tap.begin(0, SystemTime::UNIX_EPOCH).stdout;
        let totals = Totals::default();
        text += &tap.end(&End { totals: &totals, is_ok: false, notes: &["no test matches".to_owned()] }).stdout;
        assert!(text.starts_with("TAP version 14\n# note: no test matches\n# tests 0\n"), "{text}");
        assert!(text.ends_with("\nBail out! no test matches\n"), "{text}");
    }

    #[test]
    fn no_text_breaks_out_of_its_line() {
        let all: String = ('\u{0}'..='\u{ff}').chain(['\u{2028}', '\u{feff}', '\u{ffff}', '😀']).collect();
        let texts = [
            all.as_str(),
            "# TODO x",
            "a\n...\nnot ok 9 - b\n",
            "...",
            "---\n- a",
            "\n\n  b \n\tc\t\n\n",
            "a\r\nb",
            "a: b # c",
            "",
        ];
        let mut tap = Tap::new(PathBuf::new());
        let tests = texts.iter().map(|text| {
            let wrong = Failure {
                diff: Some((*text).to_owned()),
                context: Some((*text).to_owned()),
                ..failure(Diagnostic::new(*text))
            };
            let note = Some((*text).to_owned());
            TestOutcome { failures: vec![wrong.clone(), wrong], note, ..test(&[text], text, State::Failed, None) }
        });
        let text = tap.file(&file("a", tests.collect())).stdout;
        let (mut points, mut block) = (0, None);
        for line in text.lines() {
            match (line.split_once("---"), &block) {
                (Some((indent, "")), None) if indent.trim().is_empty() => block = Some(format!("{indent}...")),
                (_, Some(end)) if line == end => block = None,
                (_, None) => points += usize::from(line.trim_start().starts_with("not ok ")),
                _ => {}
            }
        }
        assert_eq!((points, block), (2 * texts.len() + 1, None), "{text}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{text}");
    }
}
