//! The outcome of a run, as `runToolCode` returns it (docs/reference/code-mode.md).

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use crate::code::CodeDiagnostic;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Log,
    Info,
    Warn,
    Error,
    Debug,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    pub level: LogLevel,
    pub text: String,
}

impl LogLine {
    /// What the line counts of `config.sandbox.consoleBytes`: its text and its end, as empty lines need memory too.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + 1
    }
}

/// Serialized as the result of `runToolCode`.
#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// The code completed: `{success: true, result, logs?, warnings?}`.
    Success {
        /// `None` if it returned nothing (serialized as `null`).
        result: Option<Value>,
        logs: Vec<LogLine>,
        /// Type errors that do not prevent the run with `check: 'essential'`.
        warnings: Vec<CodeDiagnostic>,
    },
    /// The code was rejected before it ran: `{success: false, errors, message}`.
    Refused { errors: Vec<CodeDiagnostic> },
    /// The code threw or exceeded a limit: `{success: false, error, message, logs?}`.
    Failed {
        error: String,
        /// The message with its kind, the line and the source line.
        message: String,
        logs: Vec<LogLine>,
    },
}

impl RunOutcome {
    pub(super) fn failed(error: impl Into<String>) -> Self {
        let error = error.into();
        Self::Failed { message: error.clone(), error, logs: Vec::new() }
    }

    pub fn is_success(&self) -> bool {
        matches!(self, Self::Success { .. })
    }

    pub fn logs(&self) -> &[LogLine] {
        match self {
            Self::Success { logs, .. } | Self::Failed { logs, .. } => logs,
            Self::Refused { .. } => &[],
        }
    }

    pub(super) fn with_logs(mut self, lines: Vec<LogLine>) -> Self {
        match &mut self {
            Self::Success { logs, .. } | Self::Failed { logs, .. } => *logs = lines,
            Self::Refused { .. } => {}
        }
        self
    }

    pub fn error_text(&self) -> Option<String> {
        match self {
            Self::Success { .. } => None,
            Self::Refused { errors } => Some(refusal(errors)),
            Self::Failed { message, .. } => Some(message.clone()),
        }
    }

    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

fn refusal(errors: &[CodeDiagnostic]) -> String {
    let count = if errors.len() == 1 { "1 error".to_owned() } else { format!("{} errors", errors.len()) };
    let rendered: Vec<String> = errors.iter().map(CodeDiagnostic::render).collect();
    format!("The code was not run, it has {count}. Correct it and try again.\n{}", rendered.join("\n"))
}

impl Serialize for RunOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("success", &self.is_success())?;
        match self {
            Self::Success { result, warnings, .. } => {
                map.serialize_entry("result", result)?;
                if !warnings.is_empty() {
                    map.serialize_entry("warnings", warnings)?;
                }
            }
            Self::Refused { errors } => {
                map.serialize_entry("errors", errors)?;
                map.serialize_entry("message", &refusal(errors))?;
            }
            Self::Failed { error, message, .. } => {
                map.serialize_entry("error", error)?;
                map.serialize_entry("message", message)?;
            }
        }
        // Empty logs are left out of the result.
        if !self.logs().is_empty() {
            let lines: Vec<&str> = self.logs().iter().map(|line| line.text.as_str()).collect();
            map.serialize_entry("logs", &lines)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn serialises_to_the_shapes_of_the_contract() {
        let success = RunOutcome::Success { result: Some(json!(8)), logs: Vec::new(), warnings: Vec::new() };
        assert_eq!(success.to_value(), json!({"success": true, "result": 8}));
        let nothing = RunOutcome::Success { result: None, logs: Vec::new(), warnings: Vec::new() };
        assert_eq!(nothing.to_value(), json!({"success": true, "result": null}));
        let line = LogLine { level: LogLevel::Warn, text: "careful".to_owned() };
        let failed = RunOutcome::failed("own goal").with_logs(vec![line]);
        assert_eq!(
            failed.to_value(),
            json!({"success": false, "error": "own goal", "message": "own goal", "logs": ["careful"]})
        );
        let error = CodeDiagnostic::at("f(;", 2, 1109, "Expression expected.".to_owned());
        let refused = RunOutcome::Refused { errors: vec![error] }.to_value();
        assert_eq!(
            refused["errors"],
            json!([{"line": 1, "column": 3, "message": "Expression expected.", "code": 1109, "codeLine": "f(;"}])
        );
        assert!(refused["message"].as_str().unwrap().contains("line 1, column 3: TS1109: Expression expected."));
    }
}
