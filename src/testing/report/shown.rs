//! Foreign text made fit to be shown: control characters as symbols, paths from the working directory. Must not know what it is
//! part of.

use std::{path::Path, time::Duration};

use annotate_snippets::normalize_untrusted_str;
use serde_json::{Value, json};

use crate::{
    diagnostic::{Diagnostic, Location},
    testing::outcome::{Failure, TestOutcome},
};

/// The text without characters that could rewrite what a terminal shows; lines stay.
pub(super) fn visible(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(normalize_untrusted_str).collect();
    // What is left are those that some terminals take for the beginning of a command.
    lines.join("\n").replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

/// The same on one line, also for readers that know other ends of lines.
pub(crate) fn one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']);
    visible(&lines.map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
}

/// A file as seen from `folder`.
pub(super) fn from(folder: &Path, path: &str) -> String {
    let file = Path::new(path);
    let inside = if folder.as_os_str().is_empty() { None } else { file.strip_prefix(folder).ok() };
    one_line(&inside.unwrap_or(file).display().to_string())
}

/// `file:line:column`, the file as seen from `folder`.
pub(super) fn place_from(folder: &Path, Location { path, line, column }: &Location) -> String {
    format!("{}:{line}:{column}", from(folder, path))
}

/// Where a failure of a test is to be shown: what the error points to, else the test.
pub(super) fn place<'a>(failure: &'a Failure, test: Option<&'a TestOutcome>) -> Option<&'a Location> {
    failure.diagnostic.location.as_ref().or_else(|| test?.place.as_ref())
}

/// `TypeError: message`; the message alone for what is no error.
pub(super) fn headline(diagnostic: &Diagnostic) -> String {
    match (diagnostic.name.as_str(), diagnostic.message.as_str()) {
        ("", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        (name, message) => format!("{name}: {message}"),
    }
}

/// Milliseconds as JavaScript writes numbers, without a fraction of nought; to a thousandth.
#[allow(clippy::cast_precision_loss)]
pub(super) fn milliseconds(time: Duration) -> Value {
    match (time.as_micros(), u64::try_from(time.as_millis())) {
        (micros, Ok(whole)) if micros % 1000 == 0 => json!(whole),
        (micros, _) => json!(micros as f64 / 1000.0),
    }
}

/// The diagnostic as people are to see it.
pub(super) fn of_diagnostic(folder: &Path, diagnostic: &Diagnostic) -> Diagnostic {
    let mut shown = diagnostic.clone();
    shown.name = one_line(&shown.name);
    shown.message = visible(&shown.message);
    shown.hint = shown.hint.as_deref().map(visible);
    shown.source_line = shown.source_line.as_deref().map(one_line);
    for location in shown.location.iter_mut().chain(shown.stack.iter_mut().map(|frame| &mut frame.location)) {
        location.path = from(folder, &location.path);
    }
    for frame in &mut shown.stack {
        frame.function = frame.function.as_deref().map(one_line);
    }
    shown.causes = shown.causes.iter().map(|cause| of_diagnostic(folder, cause)).collect();
    shown
}
