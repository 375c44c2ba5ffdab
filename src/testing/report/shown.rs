//! Foreign text made fit to be shown: control characters as symbols, paths from the working directory. Must not know what it is
//! part of.

use std::path::Path;

use annotate_snippets::normalize_untrusted_str;

use crate::{
    diagnostic::{Diagnostic, Location},
    testing::outcome::{Failure, TestOutcome},
};

/// The text without characters that could rewrite what a terminal shows; lines stay.
pub(super) fn visible(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(normalize_untrusted_str).collect();
    lines.join("\n")
}

/// The same on one line.
pub(crate) fn one_line(text: &str) -> String {
    visible(&text.split(['\n', '\r']).map(str::trim_end).collect::<Vec<_>>().join(" "))
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
