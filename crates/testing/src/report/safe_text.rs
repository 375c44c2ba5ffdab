//! Makes untrusted text safe to show: control characters become symbols, paths are shortened.

use std::{path::Path, time::Duration};

use annotate_snippets::normalize_untrusted_str;
use serde_json::{Value, json};

use crate::outcome::{Failure, TestOutcome};
use lmthing_base::diagnostic::{Diagnostic, Location};

/// Replaces characters that could control a terminal; keeps line feeds.
pub(super) fn visible(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(normalize_untrusted_str).collect();
    // C1 control characters remain, which some terminals interpret as the start of a sequence.
    lines.join("\n").replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

/// As [`visible`], in one line: all Unicode line separators become spaces.
pub fn one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']);
    visible(&lines.map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
}

pub(super) fn relative_path(folder: &Path, path: &str) -> String {
    let file = Path::new(path);
    let inside = if folder.as_os_str().is_empty() { None } else { file.strip_prefix(folder).ok() };
    one_line(&inside.unwrap_or(file).display().to_string())
}

pub(super) fn place_from(folder: &Path, Location { path, line, column }: &Location) -> String {
    format!("{}:{line}:{column}", relative_path(folder, path))
}

/// The location of a failure: that of the error, or else of the test.
pub(super) fn place<'a>(failure: &'a Failure, test: Option<&'a TestOutcome>) -> Option<&'a Location> {
    failure.diagnostic.location.as_ref().or_else(|| test?.place.as_ref())
}

/// `TypeError: message`; the message alone for a value that is no error.
pub(super) fn headline(diagnostic: &Diagnostic) -> String {
    match (diagnostic.name.as_str(), diagnostic.message.as_str()) {
        ("", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        (name, message) => format!("{name}: {message}"),
    }
}

/// A JavaScript number of milliseconds, exact to a microsecond, an integer if possible.
#[allow(clippy::cast_precision_loss)]
pub(super) fn milliseconds(time: Duration) -> Value {
    match (time.as_micros(), u64::try_from(time.as_millis())) {
        (micros, Ok(whole)) if micros % 1000 == 0 => json!(whole),
        (micros, _) => json!(micros as f64 / 1000.0),
    }
}

pub(super) fn safe_diagnostic(folder: &Path, diagnostic: &Diagnostic) -> Diagnostic {
    let mut shown = diagnostic.clone();
    shown.name = one_line(&shown.name);
    shown.message = visible(&shown.message);
    shown.hint = shown.hint.as_deref().map(visible);
    shown.source_line = shown.source_line.as_deref().map(one_line);
    for location in shown.location.iter_mut().chain(shown.stack.iter_mut().map(|frame| &mut frame.location)) {
        location.path = relative_path(folder, &location.path);
    }
    for frame in &mut shown.stack {
        frame.function = frame.function.as_deref().map(one_line);
    }
    shown.causes = shown.causes.iter().map(|cause| safe_diagnostic(folder, cause)).collect();
    shown
}
