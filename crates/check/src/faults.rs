//! Turns the faults of an inspection into findings with a file and a position.

use std::{
    cell::LazyCell,
    collections::HashSet,
    path::{Path, PathBuf},
};

use super::{
    finding::{Finding, Position, Related, Severity, Span},
    locate::ExportValues,
};
use lmthing_base::{
    diagnostic::{Diagnostic, Location},
    parser::Language,
};
use lmthing_engine::bindings::inspect::{Fault, FaultSeverity};
use lmthing_system::files::{is_source_file, read_source_text, real_path};

/// `file` is the prompt file as the user named it, `path` its path on disk.
pub(super) fn findings(file: &Path, path: &Path, faults: Vec<Fault>, is_strict: bool) -> Vec<Finding> {
    let real = real_path(path).unwrap_or_else(|_| path.to_owned());
    let text = LazyCell::new(|| read_source_text(path).unwrap_or_default());
    let values = LazyCell::new(|| ExportValues::of(&text, Language::of_file(path).unwrap_or(Language::JavaScript)));
    let own = |span: Option<Span>| span.map(|span| (file.to_owned(), span));
    let file_of_prompt = file;
    let finding = |fault: Fault| {
        let at = match &fault.location {
            Some(location) => Some(file_and_span(location, file, &real)),
            None => own(values.span(&fault.place)),
        };
        let (file, span) = at.map_or_else(|| (file.to_owned(), None), |(file, span)| (file, Some(span)));
        Finding {
            file,
            span,
            severity: severity(fault.severity, is_strict),
            code: fault.code.to_owned(),
            message: fault.message,
            hint: fault.hint,
            fix: None,
            related: fault.causes.iter().map(|cause| related(cause, file_of_prompt, &real)).collect(),
        }
    };
    let mut findings: Vec<Finding> = faults.into_iter().map(finding).collect();
    let mut seen = HashSet::new();
    // Mock items made by one expression have most likely the same fault.
    findings.retain(|finding| finding.code != "mock" || seen.insert((finding.span, finding.severity)));
    findings
}

/// A fault of the file at `path` as an error, with its place in the source.
pub fn diagnostic_of(fault: Fault, path: &Path) -> Diagnostic {
    let text = read_source_text(path).unwrap_or_default();
    let language = Language::of_file(path).unwrap_or(Language::JavaScript);
    let own = || {
        let Span { start: Position { line, column }, .. } = ExportValues::of(&text, language).span(&fault.place)?;
        let path = real_path(path).unwrap_or_else(|_| path.to_owned()).display().to_string();
        Some(Location { path, line, column })
    };
    let location = fault.location.clone().or_else(own);
    let source_line = location.as_ref().and_then(|Location { path, line, .. }| {
        let text = read_source_text(Path::new(path)).ok()?;
        text.lines().nth(line.saturating_sub(1) as usize).map(str::to_owned)
    });
    Diagnostic { location, source_line, hint: fault.hint, ..Diagnostic::new(fault.message) }
}

fn related(cause: &Location, file: &Path, real: &Path) -> Related {
    let (file, span) = file_and_span(cause, file, real);
    Related { file, span, message: "the cause arose here".to_owned() }
}

fn severity(severity: FaultSeverity, is_strict: bool) -> Severity {
    match severity {
        FaultSeverity::Environment if is_strict => Severity::Note,
        FaultSeverity::Environment => Severity::Warning,
        FaultSeverity::Error => Severity::Error,
        FaultSeverity::Warning => Severity::Warning,
        FaultSeverity::Note => Severity::Note,
    }
}

fn file_and_span(location: &Location, file: &Path, real: &Path) -> (PathBuf, Span) {
    // A module may be loaded several times with different queries.
    let bare = location.path.split('?').next().unwrap_or_default();
    let found = Path::new(if is_source_file(Path::new(&location.path)) { location.path.as_str() } else { bare });
    let start = Position { line: location.line, column: location.column };
    let end = Position { column: start.column + word_length(found, start), ..start };
    let span = Span { start, end };
    if found == real {
        return (file.to_owned(), span);
    }
    let directory = std::env::current_dir().and_then(std::fs::canonicalize).unwrap_or_default();
    let shown = if file.is_absolute() { found } else { found.strip_prefix(&directory).unwrap_or(found) };
    (shown.to_owned(), span)
}

fn word_length(file: &Path, start: Position) -> u32 {
    let text = read_source_text(file).unwrap_or_default();
    let line = text.lines().nth(start.line.saturating_sub(1) as usize).unwrap_or_default();
    let rest = line.chars().skip(start.column.saturating_sub(1) as usize);
    let word = rest.take_while(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$')).count();
    u32::try_from(word).unwrap_or(1).max(1)
}
