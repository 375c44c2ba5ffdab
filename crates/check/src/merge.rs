//! Merges the findings of the type check and of the run, so that one mistake gives one finding.

use std::path::{Path, PathBuf};

use super::finding::{Finding, Severity, Span};
use lmthing_system::files::real_path;

/// Returns all findings of the type check, and those of the run that report something else. Sorted by position: those
/// of `file` first, those without a position last.
pub(super) fn merged(file: &Path, types: Vec<Finding>, run: Vec<Finding>) -> Vec<Finding> {
    let mut unmatched: Vec<(Line, Span)> = types.iter().filter_map(|found| Some((line(found)?, found.span?))).collect();
    let lines: Vec<Line> = unmatched.iter().map(|(line, _)| line.clone()).collect();
    // For names declared twice the engine reports the second declaration and TypeScript the first.
    let has_types_error =
        |finding: &Finding| types.iter().any(|found| found.file == finding.file && found.severity == Severity::Error);
    let run: Vec<Finding> = run.into_iter().filter(|found| found.code != "syntax" || !has_types_error(found)).collect();
    // Overlapping findings are matched first, so that the rest of a line can be matched by line alone.
    let run: Vec<Finding> = run.into_iter().filter(|finding| !take_match(&mut unmatched, finding, overlap)).collect();
    let mut is_news = |finding: &Finding| match line(finding) {
        // A line with a type error may throw because of that error.
        Some(line) if ["render", "load", "permission"].contains(&finding.code.as_str()) => !lines.contains(&line),
        _ => !take_match(&mut unmatched, finding, |_, _| true),
    };
    let more: Vec<Finding> = run.into_iter().filter(|finding| is_news(finding)).collect();
    let mut all: Vec<Finding> = types.into_iter().chain(more).collect();
    all.sort_by_cached_key(|finding| {
        let span = finding.span.map(|span| (span.start.line, span.start.column));
        (finding.file != file, finding.file.clone(), span.is_none(), span)
    });
    all
}

/// Removes a type finding on the same line for which `fits` holds. Returns whether there was one.
fn take_match(unmatched: &mut Vec<(Line, Span)>, finding: &Finding, fits: impl Fn(Span, Span) -> bool) -> bool {
    let (Some(line), Some(span)) = (line(finding), finding.span) else { return false };
    let index = unmatched.iter().position(|(known, other)| *known == line && fits(*other, span));
    index.map(|index| unmatched.remove(index)).is_some()
}

fn overlap(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}

type Line = (PathBuf, u32);

fn line(finding: &Finding) -> Option<Line> {
    let real = |file: &Path| real_path(file).unwrap_or_else(|_| file.to_owned());
    finding.span.map(|span| (real(&finding.file), span.start.line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    fn found(code: &str, line: u32, columns: std::ops::Range<u32>) -> Finding {
        let position = |column| Position { line, column };
        Finding {
            file: PathBuf::from("p.lmt.mjs"),
            span: Some(Span { start: position(columns.start), end: position(columns.end) }),
            severity: Severity::Error,
            code: code.to_owned(),
            message: String::new(),
            hint: None,
            fix: None,
            related: Vec::new(),
        }
    }

    fn codes(types: Vec<Finding>, run: Vec<Finding>) -> Vec<String> {
        merged(Path::new("p.lmt.mjs"), types, run).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_mistake_found_by_both_is_reported_once() {
        let types = || vec![found("TS1", 1, 20..30)];
        assert_eq!(codes(types(), vec![found("config", 1, 25..26)]), ["TS1"]);
        // A part of the same value.
        assert_eq!(codes(types(), vec![found("config", 1, 40..45)]), ["TS1"]);
        assert_eq!(codes(types(), vec![found("config", 2, 20..30)]), ["TS1", "config"]);
        assert_eq!(codes(types(), vec![found("render", 1, 1..2), found("render", 1, 25..26)]), ["TS1"]);
    }

    #[test]
    fn syntax_errors_of_the_engine_are_reported_without_type_errors() {
        assert_eq!(codes(Vec::new(), vec![found("syntax", 3, 1..2)]), ["syntax"]);
        assert_eq!(codes(vec![found("TS2451", 1, 1..2)], vec![found("syntax", 3, 1..2)]), ["TS2451"]);
    }

    #[test]
    fn two_mistakes_on_one_line_are_two() {
        let run = vec![found("model", 1, 1..5), found("config", 1, 20..21)];
        assert_eq!(codes(vec![found("TS1", 1, 20..30)], run), ["model", "TS1"]);
    }

    #[test]
    fn findings_without_a_span_come_last() {
        let whole = Finding { span: None, ..found("export", 1, 1..2) };
        assert_eq!(
            codes(vec![whole, found("TS1", 3, 1..2)], vec![found("render", 2, 1..2)]),
            ["render", "TS1", "export"]
        );
    }
}
