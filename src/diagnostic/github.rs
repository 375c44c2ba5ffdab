//! Workflow commands of GitHub Actions, which show a message at its line. Must not know what is found.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

/// How a message is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnnotationLevel {
    /// Something is wrong.
    Error,
    /// It may be meant so.
    Warning,
    /// Good to know.
    Notice,
}

/// A message at a place.
#[derive(Debug)]
pub(crate) struct Annotation {
    level: AnnotationLevel,
    /// `file`, `line` and so on, escaped.
    properties: Vec<String>,
}

impl Annotation {
    /// A message about a file, which is named from `workspace`, the root of the repository.
    pub(crate) fn new(level: AnnotationLevel, file: &Path, workspace: Option<&Path>) -> Self {
        Annotation { level, properties: Vec::new() }.with("file", from_root(file, workspace).display())
    }

    /// The same with a property: `line`, `col`, `endLine`, `endColumn`, `title`.
    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: impl Display) -> Self {
        self.properties.push(format!("{key}={}", of_property(&value.to_string())));
        self
    }

    /// The command, with the end of its line.
    pub(crate) fn command(&self, message: &str) -> String {
        let name = match self.level {
            AnnotationLevel::Error => "error",
            AnnotationLevel::Warning => "warning",
            AnnotationLevel::Notice => "notice",
        };
        format!("::{name} {}::{}\n", self.properties.join(","), of_message(message))
    }
}

fn from_root(file: &Path, workspace: Option<&Path>) -> PathBuf {
    let from_root = workspace.and_then(|root| {
        let (root, real) = (root.canonicalize().ok()?, file.canonicalize().ok()?);
        Some(real.strip_prefix(root).ok()?.to_owned())
    });
    from_root.unwrap_or_else(|| file.to_owned())
}

fn of_message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn of_property(text: &str) -> String {
    of_message(text).replace(':', "%3A").replace(',', "%2C")
}
