//! One mistake, one finding: what two ways of looking have found is told once.

use std::path::{Path, PathBuf};

use super::finding::{Finding, Severity, Span};

/// The findings of the type checker, and of those that running the file gave the ones that say something else.
/// In the order of the source, those of `file` first, and those without a place behind it.
pub(super) fn merged(file: &Path, types: Vec<Finding>, run: Vec<Finding>) -> Vec<Finding> {
    let mut told: Vec<(Line, Span)> = types.iter().filter_map(|found| Some((line(found)?, found.span?))).collect();
    let lines: Vec<Line> = told.iter().map(|(line, _)| line.clone()).collect();
    // Where names clash the engine stops at the second, and TypeScript tells of the first.
    let has_types_error =
        |finding: &Finding| types.iter().any(|found| found.file == finding.file && found.severity == Severity::Error);
    let run: Vec<Finding> = run.into_iter().filter(|found| found.code != "syntax" || !has_types_error(found)).collect();
    // First what is about the same words, so that the rest of a line can be told apart.
    let run: Vec<Finding> = run.into_iter().filter(|finding| !takes(&mut told, finding, overlap)).collect();
    let mut is_news = |finding: &Finding| match line(finding) {
        // What throws there may throw for any reason, and one is known.
        Some(line) if ["render", "load", "permission"].contains(&finding.code.as_str()) => !lines.contains(&line),
        _ => !takes(&mut told, finding, |_, _| true),
    };
    let more: Vec<Finding> = run.into_iter().filter(|finding| is_news(finding)).collect();
    let mut all: Vec<Finding> = types.into_iter().chain(more).collect();
    all.sort_by_cached_key(|finding| {
        let span = finding.span.map(|span| (span.start.line, span.start.column));
        (finding.file != file, finding.file.clone(), span.is_none(), span)
    });
    all
}

/// Takes a finding of types that says the same off the list: one on the same line that `fits`. Says whether there was one.
fn takes(told: &mut Vec<(Line, Span)>, finding: &Finding, fits: impl Fn(Span, Span) -> bool) -> bool {
    let (Some(line), Some(span)) = (line(finding), finding.span) else { return false };
    let index = told.iter().position(|(known, other)| *known == line && fits(*other, span));
    index.map(|index| told.remove(index)).is_some()
}

fn overlap(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}

/// A line of a file.
type Line = (PathBuf, u32);

/// The line that a finding is about.
fn line(finding: &Finding) -> Option<Line> {
    let real = |file: &Path| std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    finding.span.map(|span| (real(&finding.file), span.start.line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Position;

    fn found(code: &str, line: u32, columns: std::ops::Range<u32>) -> Finding {
        let position = |column| Position { line, column };
        Finding {
            file: PathBuf::from("p.lmt.mjs"),
            span: Some(Span { start: position(columns.start), end: position(columns.end) }),
            severity: Severity::Error,
            code: code.to_owned(),
            message: String::new(),
            hint: None,
            related: Vec::new(),
        }
    }

    fn codes(types: Vec<Finding>, run: Vec<Finding>) -> Vec<String> {
        merged(Path::new("p.lmt.mjs"), types, run).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_mistake_that_both_have_found_is_told_once() {
        let types = || vec![found("TS1", 1, 20..30)];
        assert_eq!(codes(types(), vec![found("config", 1, 25..26)]), ["TS1"]);
        // About a part of the same value.
        assert_eq!(codes(types(), vec![found("config", 1, 40..45)]), ["TS1"]);
        assert_eq!(codes(types(), vec![found("config", 2, 20..30)]), ["TS1", "config"]);
        assert_eq!(codes(types(), vec![found("render", 1, 1..2), found("render", 1, 25..26)]), ["TS1"]);
    }

    #[test]
    fn what_the_engine_cannot_read_is_told_when_types_say_nothing() {
        assert_eq!(codes(Vec::new(), vec![found("syntax", 3, 1..2)]), ["syntax"]);
        assert_eq!(codes(vec![found("TS2451", 1, 1..2)], vec![found("syntax", 3, 1..2)]), ["TS2451"]);
    }

    #[test]
    fn two_mistakes_on_one_line_are_two() {
        let run = vec![found("model", 1, 1..5), found("config", 1, 20..21)];
        assert_eq!(codes(vec![found("TS1", 1, 20..30)], run), ["model", "TS1"]);
    }

    #[test]
    fn what_has_no_place_comes_behind_what_has_one() {
        let whole = Finding { span: None, ..found("export", 1, 1..2) };
        assert_eq!(
            codes(vec![whole, found("TS1", 3, 1..2)], vec![found("render", 2, 1..2)]),
            ["render", "TS1", "export"]
        );
    }
}
