//! A finding of the check: what is wrong and where.

use std::path::PathBuf;

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub file: PathBuf,
    /// Where in the file; `None` when it is about the whole file.
    pub span: Option<Span>,
    pub severity: Severity,
    /// The kind: `TS2339` for errors of the type checker, else for example `config`, `mock`, `model`, `render`.
    pub code: String,
    /// TypeScript's own message for type errors.
    pub message: String,
    pub hint: Option<String>,
    /// A change that follows the hint, if one is certain enough to be offered.
    pub fix: Option<Fix>,
    pub related: Vec<Related>,
}

/// Replaces a part of the finding's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, such as `write 'defTool'`.
    pub title: String,
    pub span: Span,
    pub text: String,
}

impl Finding {
    /// What the message is about, without the values that a comparison of requests shows: they differ between two prompt
    /// files that import the same definition.
    pub fn subject(&self) -> &str {
        match self.message.split_once(": ") {
            Some((subject, _)) if self.code == "cache" => subject,
            _ => &self.message,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    pub file: PathBuf,
    pub span: Span,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: Position,
    /// Exclusive.
    pub end: Position,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}
