//! One shape for everything that goes wrong in something a user wrote: a script exception, a module that cannot be loaded,
//! a config fault. Plain data; [`Diagnostic::render`] makes the text.
//!
//! Knows nothing of QuickJS, terminals or exit codes.

mod controls;
mod github;
mod json_kind;
mod near;
mod render;
pub(crate) mod snippet;
mod suggestion;
mod value_path;
mod visible;

use serde::Serialize;

pub(crate) use controls::{Sequences, TextFilter, plain, plain_line, turns_direction};
pub(crate) use github::{Annotation, AnnotationLevel};
pub(crate) use json_kind::kind_of;
pub(crate) use near::{did_you_mean, ends_in_json};
pub(crate) use suggestion::closest;
pub(crate) use value_path::{Key, steps, written};
pub(crate) use visible::{is_unseen, visible};

/// Something that went wrong, and where in the user's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The class of the error: `Error`, `TypeError`, …; empty for a thrown value that is not an error.
    pub name: String,
    /// What went wrong, in one sentence.
    pub message: String,
    /// The first place in the user's own files that the error points to.
    pub location: Option<Location>,
    /// The text of the line of `location`.
    pub source_line: Option<String>,
    /// The calls that led there, innermost first; user files only.
    pub stack: Vec<Frame>,
    /// What caused it (`error.cause`), outermost first, and the members of an `AggregateError`.
    pub causes: Vec<Diagnostic>,
    /// How to fix it, when we can say.
    pub hint: Option<String>,
}

/// A place in a file. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file's real path, with the query of its module if it has one.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
}

/// One call on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// The function's name; `None` for the top level of a module and for anonymous functions.
    pub function: Option<String>,
    /// Where it calls or throws.
    pub location: Location,
}

impl Diagnostic {
    /// A diagnostic that says `message` and nothing else.
    pub fn new(message: impl Into<String>) -> Self {
        Self { name: "Error".to_owned(), message: message.into(), ..Self::default() }
    }

    /// The same with every text in it replaced by what `map` makes of it.
    #[must_use]
    pub(crate) fn map_texts(self, map: &dyn Fn(&str) -> String) -> Self {
        let place = |place: Location| Location { path: map(&place.path), ..place };
        let call = |call: Frame| Frame { function: call.function.as_deref().map(map), location: place(call.location) };
        Diagnostic {
            name: map(&self.name),
            message: map(&self.message),
            location: self.location.map(place),
            source_line: self.source_line.as_deref().map(map),
            stack: self.stack.into_iter().map(call).collect(),
            causes: self.causes.into_iter().map(|cause| cause.map_texts(map)).collect(),
            hint: self.hint.as_deref().map(map),
        }
    }

    /// The same with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.headline())
    }
}

impl std::error::Error for Diagnostic {}
