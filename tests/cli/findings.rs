//! Reads the findings of `lmthing check --format json`.

use serde_json::Value;

use crate::support::Outcome;

#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub severity: String,
    pub file: String,
    /// 0 if the finding has no position.
    pub line: u64,
    pub column: u64,
    pub code: String,
    pub message: String,
    pub hint: String,
}

impl Finding {
    /// All findings, in order.
    pub(crate) fn all(outcome: &Outcome) -> Vec<Self> {
        let report = outcome.object();
        let findings = report["diagnostics"].as_array().unwrap_or_else(|| panic!("{outcome:?}"));
        findings.iter().map(Finding::of).collect()
    }

    fn of(value: &Value) -> Self {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let number = |key: &str| value[key].as_u64().unwrap_or_default();
        Finding {
            severity: text("severity"),
            file: text("file"),
            line: number("line"),
            column: number("column"),
            code: text("code"),
            message: text("message"),
            hint: text("hint"),
        }
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == "error"
    }

    /// Message and hint.
    pub(crate) fn text(&self) -> String {
        format!("{} {}", self.message, self.hint)
    }
}
