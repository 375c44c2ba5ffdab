//! Results of an inspection, as plain data.

use serde_json::Value;

pub(crate) use crate::diagnostic::{PathKey, PathKey as Key};
use crate::{chat::Message, diagnostic::Location};

#[derive(Debug, Default)]
pub(crate) struct Inspection {
    pub(crate) faults: Vec<Fault>,
    /// `None` if the function was not run.
    pub(crate) rendered: Option<Rendered>,
    /// The models of the file that exist.
    pub(crate) models: Vec<NamedModel>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The path to the value, such as `config`, `options`, `temperature`; may be empty.
    pub(crate) place: Vec<Key>,
    pub(crate) location: Option<Location>,
    pub(crate) severity: FaultSeverity,
    /// The kind: `syntax`, `import`, `export`, `config`, `model`, `mock`, `definition`, `input`, `load` or `render`.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn error(code: &'static str, place: &[&str], message: impl Into<String>) -> Self {
        Fault {
            place: PathKey::path(place),
            location: None,
            severity: FaultSeverity::Error,
            code,
            message: message.into(),
            hint: None,
        }
    }

    #[must_use]
    pub(crate) fn with_severity(self, severity: FaultSeverity) -> Self {
        Fault { severity, ..self }
    }

    #[must_use]
    pub(super) fn with_default_place(self, place: &[&str]) -> Self {
        let place = if self.place.is_empty() { Key::path(place) } else { self.place };
        Fault { place, ..self }
    }

    #[must_use]
    pub(crate) fn with_hint(self, hint: Option<String>) -> Self {
        Fault { hint, ..self }
    }
}

/// A model that a file names, with aliases resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedModel {
    pub(crate) place: Vec<Key>,
    pub(crate) provider: String,
    pub(crate) model_id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultSeverity {
    Error,
    /// May be intended.
    Warning,
    /// A part that could not be checked.
    Note,
}

/// The first request to the model.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<RenderedTool>,
    /// Names of functions in code mode.
    pub(crate) functions: Vec<String>,
    /// Prefixes of tool names that only exist during a run.
    pub(crate) expected_names: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RenderedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) is_agent: bool,
    pub(crate) location: Option<Location>,
}
