//! `lmthing check FILES` (docs/reference.md, "Checking").

use serde_json::{Value, json};

use crate::{
    check::{CheckOptions, Checker, Finding, Position, Severity},
    cli::{ExitCode, Printer, args::CheckArgs, commands::input::process_sources, env},
};

/// Checks the files and prints what was found.
pub(in crate::cli) fn run(args: &CheckArgs, printer: &Printer) -> ExitCode {
    let mut checker = Checker::default();
    let directory = std::env::current_dir().unwrap_or_default();
    let environment = env::with_files(&directory, &[]);
    let options = CheckOptions::new(process_sources(), environment.variables);
    let mut findings: Vec<Finding> = Vec::new();
    for file in &args.paths {
        let report = checker.check(file, &options);
        printer.stderr(&report.printed);
        findings.extend(report.findings);
    }
    let diagnostics: Vec<Value> = findings.iter().map(to_json).collect();
    printer.script_stdout(&format!("{}\n", json!({ "diagnostics": diagnostics })));
    match findings.iter().any(|finding| finding.severity == Severity::Error) {
        true => ExitCode::File,
        false => ExitCode::Done,
    }
}

fn to_json(finding: &Finding) -> Value {
    let part = |place: fn(&crate::check::Span) -> Position, of: fn(Position) -> u32| {
        finding.span.as_ref().map(|span| of(place(span)))
    };
    json!({
        "file": finding.file,
        "line": part(|span| span.start, |place| place.line),
        "column": part(|span| span.start, |place| place.column),
        "endLine": part(|span| span.end, |place| place.line),
        "endColumn": part(|span| span.end, |place| place.column),
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "hint": finding.hint,
    })
}
