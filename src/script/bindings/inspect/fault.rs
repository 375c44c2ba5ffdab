//! What an inspection gives: plain data.

use serde_json::Value;

pub(crate) use crate::diagnostic::{PathKey, PathKey as Key};
use crate::{chat::Message, diagnostic::Location};

/// What was found out by loading a prompt file and rendering it once.
#[derive(Debug, Default)]
pub(crate) struct Inspection {
    /// What is wrong, in the order it was found.
    pub(crate) faults: Vec<Fault>,
    /// The first render, when there was one.
    pub(crate) rendered: Option<Rendered>,
    /// The models that the file names and that there may be.
    pub(crate) models: Vec<NamedModel>,
}

/// Something that is wrong with an export, a definition or the render.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The value it is about, from the name of an export down: `config`, `options`, `temperature`. Empty when it is about none.
    pub(crate) place: Vec<PathKey>,
    /// Where the engine says it is, when it does.
    pub(crate) location: Option<Location>,
    /// How bad it is.
    pub(crate) weight: Weight,
    /// The kind: `syntax`, `import`, `export`, `config`, `model`, `mock`, `definition`, `input`, `load` or `render`.
    pub(crate) code: &'static str,
    /// What is wrong, in a sentence.
    pub(crate) message: String,
    /// How to fix it, when we can say.
    pub(crate) hint: Option<String>,
}

impl Fault {
    /// An error about a value, or about none.
    pub(crate) fn error(code: &'static str, place: &[&str], message: impl Into<String>) -> Self {
        Fault {
            place: PathKey::path(place),
            location: None,
            weight: Weight::Error,
            code,
            message: message.into(),
            hint: None,
        }
    }

    /// The same as bad as `weight`.
    #[must_use]
    pub(crate) fn weighing(self, weight: Weight) -> Self {
        Fault { weight, ..self }
    }

    /// About the value that `place` leads to, unless it is about another already.
    #[must_use]
    pub(super) fn or_about(self, place: &[&str]) -> Self {
        let place = if self.place.is_empty() { PathKey::path(place) } else { self.place };
        Fault { place, ..self }
    }

    /// With advice, if there is any.
    #[must_use]
    pub(crate) fn with_hint(self, hint: Option<String>) -> Self {
        Fault { hint, ..self }
    }
}

/// A model that a file names, with its provider and id when aliases are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedModel {
    /// Where it is named.
    pub(crate) place: Vec<PathKey>,
    /// The provider's name.
    pub(crate) provider: String,
    /// The model's id there.
    pub(crate) model_id: String,
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// The file cannot do what it should.
    Error,
    /// It may be meant so.
    Warning,
    /// Something could not be looked at.
    Note,
}

/// What the model would get first.
#[derive(Debug)]
pub(crate) struct Rendered {
    /// The messages, the system prompt first.
    pub(crate) messages: Vec<Message>,
    /// The tools.
    pub(crate) tools: Vec<RenderedTool>,
    /// Functions for code mode: their names.
    pub(crate) functions: Vec<String>,
    /// How the names of tools begin that only a run will have.
    pub(crate) to_come: Vec<String>,
}

/// A tool of the first render.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RenderedTool {
    /// Its name.
    pub(crate) name: String,
    /// What the model is told of it.
    pub(crate) description: String,
    /// JSON Schema of its arguments.
    pub(crate) input_schema: Value,
    /// Whether it is an agent, which asks the model by itself.
    pub(crate) is_agent: bool,
    /// Where it is defined, when the engine knows.
    pub(crate) location: Option<Location>,
}
