//! A finding of the check: what is wrong and where.

use std::path::PathBuf;

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) file: PathBuf,
    /// Where in the file; `None` when it is about the whole file.
    pub(crate) span: Option<Span>,
    pub(crate) severity: Severity,
    /// The kind: `TS2339` for errors of the type checker, else for example `config`, `mock`, `model`, `render`.
    pub(crate) code: String,
    /// TypeScript's own message for type errors.
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) related: Vec<Related>,
}

/// A place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Related {
    pub(crate) file: PathBuf,
    pub(crate) span: Span,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    Error,
    /// It may be intended.
    Warning,
    /// Something could not be checked.
    Note,
}

/// A half-open range of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Span {
    pub(crate) start: Position,
    /// The position after the last character.
    pub(crate) end: Position,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Position {
    /// From 1.
    pub(crate) line: u32,
    /// From 1, in characters.
    pub(crate) column: u32,
}
