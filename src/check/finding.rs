//! One thing that is wrong in somebody's file. Plain data.

use std::path::PathBuf;

use serde::Serialize;

/// Something that is wrong, or worth a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The file it is in.
    pub(crate) file: PathBuf,
    /// Where in the file; `None` when it is about the file as a whole.
    pub(crate) span: Option<Span>,
    /// How bad it is.
    pub(crate) severity: Severity,
    /// Names the kind: `TS2339` for what the type checker says, else a word such as `config`, `mock`, `model`, `render`.
    pub(crate) code: String,
    /// What is wrong, in TypeScript's words where TypeScript says it.
    pub(crate) message: String,
    /// How to fix it, when we can say.
    pub(crate) hint: Option<String>,
    /// Other places that have to do with it.
    pub(crate) related: Vec<Related>,
}

/// A place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Related {
    /// The file.
    pub(crate) file: PathBuf,
    /// Where in it.
    pub(crate) span: Span,
    /// What is there.
    pub(crate) message: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// The file does not do what it should.
    Error,
    /// It may be meant so.
    Warning,
    /// Something could not be looked at.
    Note,
}

/// From a character up to, not including, another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Span {
    /// The first character.
    pub(crate) start: Position,
    /// The one behind the last.
    pub(crate) end: Position,
}

/// A character of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Position {
    /// From 1.
    pub(crate) line: u32,
    /// From 1, counted in characters.
    pub(crate) column: u32,
}
