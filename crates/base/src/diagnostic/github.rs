//! Workflow commands of GitHub Actions, which show a message at a line of a file.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationLevel {
    Error,
    Warning,
    Notice,
}

#[derive(Debug)]
pub struct Annotation {
    level: AnnotationLevel,
    /// `file`, `line` and so on, escaped.
    properties: Vec<String>,
}

impl Annotation {
    /// Creates an annotation for a file, whose path is printed relative to `workspace`, the root of the repository.
    pub fn new(level: AnnotationLevel, file: &Path, workspace: Option<&Path>) -> Self {
        Annotation { level, properties: Vec::new() }.with("file", relative_to(file, workspace).display())
    }

    /// Adds a property: `line`, `col`, `endLine`, `endColumn`, `title`.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Display) -> Self {
        self.properties.push(format!("{key}={}", escape_property(&value.to_string())));
        self
    }

    pub fn command(&self, message: &str) -> String {
        let name = match self.level {
            AnnotationLevel::Error => "error",
            AnnotationLevel::Warning => "warning",
            AnnotationLevel::Notice => "notice",
        };
        format!("::{name} {}::{}\n", self.properties.join(","), escape_message(message))
    }
}

fn relative_to(file: &Path, workspace: Option<&Path>) -> PathBuf {
    let relative_to = workspace.and_then(|root| {
        let (root, real) = (root.canonicalize().ok()?, file.canonicalize().ok()?);
        Some(real.strip_prefix(root).ok()?.to_owned())
    });
    relative_to.unwrap_or_else(|| file.to_owned())
}

fn escape_message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_message(text).replace(':', "%3A").replace(',', "%2C")
}
