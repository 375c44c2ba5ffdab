//! Errors in what a user wrote, as data: script exceptions, modules that cannot be loaded, configuration faults.

mod controls;
mod github;
mod invalid_json;
mod render;
pub mod snippet;
mod suggestion;
mod value_path;

use serde::Serialize;
use serde_json::Value;

pub use controls::{
    EscapeSequences, TextFilter, escape_invisible, is_bidi_control, is_invisible, strip_controls, strip_controls_line,
};
pub use github::{Annotation, AnnotationLevel};
pub use invalid_json::InvalidJson;
pub use suggestion::{closest, did_you_mean, ends_in_json, suggested_name};
pub use value_path::{PathKey, path_suffix, path_text};

/// Something that went wrong, and where in the user's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The class of the error: `Error`, `TypeError`, …; empty for a thrown value that is not an error.
    pub name: String,
    pub message: String,
    /// The first position in the user's own files that the error refers to.
    pub location: Option<Location>,
    pub source_line: Option<String>,
    /// The calls that led to the error, innermost first; user files only.
    pub stack: Vec<Frame>,
    /// The chain of `error.cause`, outermost first, and the members of an `AggregateError`.
    pub causes: Vec<Diagnostic>,
    pub hint: Option<String>,
}

/// A position in a file. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file's real path, with the query of its module if it has one.
    pub path: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// `None` for the top level of a module and for anonymous functions.
    pub function: Option<String>,
    /// Where the function calls or throws.
    pub location: Location,
}

impl Diagnostic {
    pub fn new(message: impl Into<String>) -> Self {
        Self { name: "Error".to_owned(), message: message.into(), ..Self::default() }
    }

    /// Applies `map` to every text of the diagnostic.
    #[must_use]
    pub fn map_texts(self, map: &dyn Fn(&str) -> String) -> Self {
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

/// The kind with its article: `an array`, `a number`.
pub fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
