//! Results of an inspection, as plain data.

use serde_json::Value;

use super::pieces::Piece;
pub use lmthing_base::diagnostic::PathKey;
use lmthing_base::{chat::Message, diagnostic::Location};

#[derive(Debug, Default)]
pub struct Inspection {
    pub faults: Vec<Fault>,
    /// `None` if the function was not run.
    pub rendered: Option<Rendered>,
    pub models: Vec<NamedModel>,
    /// The pieces of a second step, or why there are none; only with [`Search::Steps`].
    pub second_step: Option<Result<Vec<Piece>, Fault>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The path to the value, such as `config`, `options`, `temperature`; may be empty.
    pub place: Vec<PathKey>,
    pub location: Option<Location>,
    pub severity: FaultSeverity,
    /// The kind: `syntax`, `import`, `export`, `config`, `model`, `mock`, `definition`, `input`,
    /// `cache`, `load` or `render`.
    pub code: &'static str,
    pub message: String,
    pub hint: Option<String>,
    /// Where the causes of an error arose, the nearest first.
    pub causes: Vec<Location>,
}

impl Fault {
    pub fn error(code: &'static str, place: &[&str], message: impl Into<String>) -> Self {
        Fault {
            place: PathKey::path(place),
            location: None,
            severity: FaultSeverity::Error,
            code,
            message: message.into(),
            hint: None,
            causes: Vec::new(),
        }
    }

    #[must_use]
    pub fn with_severity(self, severity: FaultSeverity) -> Self {
        Fault { severity, ..self }
    }

    #[must_use]
    pub(super) fn with_default_place(self, place: &[&str]) -> Self {
        let place = if self.place.is_empty() { PathKey::path(place) } else { self.place };
        Fault { place, ..self }
    }

    #[must_use]
    pub fn with_hint(self, hint: Option<String>) -> Self {
        Fault { hint, ..self }
    }
}

/// A model that a file names, with aliases resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedModel {
    pub place: Vec<PathKey>,
    pub provider: String,
    pub model_id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultSeverity {
    Error,
    Warning,
    /// A warning of something that the file needs and this machine lacks, such as a key. Strict checks do not fail for it.
    Environment,
    Note,
}

#[derive(Debug, Default)]
pub struct Rendered {
    pub messages: Vec<Message>,
    pub tools: Vec<RenderedTool>,
    /// Names of functions in code mode.
    pub functions: Vec<String>,
    /// Prefixes of tool names that only exist during a run.
    pub expected_names: Vec<String>,
    /// Why the model refuses the tools.
    pub refused: Option<String>,
    /// What the request is made of; empty unless requests are compared.
    pub pieces: Vec<Piece>,
    /// What each call of a method renders to, if definitions were located.
    pub definitions: Vec<RenderedDefinition>,
}

/// What one call of a `def…` method, or of `$`, adds to the first request.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderedDefinition {
    pub method: String,
    pub name: String,
    /// The text of a section, variable, message or declaration; `None` for a tool, which is among the tools.
    pub text: Option<String>,
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RenderedTool {
    pub name: String,
    pub description: String,
    pub input_schema: Value,
    pub is_agent: bool,
    pub location: Option<Location>,
}
