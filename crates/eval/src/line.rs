//! The line of a cell in OUT: an answer and its scores (docs/reference/eval.md).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use lmthing_base::chat::{FinishReason, Usage};
use lmthing_map::RowError;
use lmthing_providers::Redactor;

/// A cell: what one row, variant, model and repetition gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CellLine {
    /// Number of the row, from 1.
    pub row: u64,
    pub variant: String,
    /// As named in `--models`, the variant or the prompt file.
    pub model: String,
    /// From 1.
    pub repeat: u32,
    /// Input of the prompt file, without what the variant replaces.
    pub input: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Set if `output` is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub finish_reason: Option<FinishReason>,
    pub usage: Usage,
    /// In dollars; `None` if a price is unknown.
    pub cost: Option<f64>,
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RowError>,
    /// By name, in the order of the eval file. Empty if the run failed.
    pub scores: IndexMap<String, Score>,
}

impl CellLine {
    /// With secrets replaced, as OUT and reports have it. Scores see the answer as it is.
    pub(crate) fn redacted(mut self, redactor: &Redactor) -> CellLine {
        redact_columns(&mut self.input, redactor);
        self.output.iter_mut().for_each(|output| redactor.apply_texts(output));
        self.text.iter_mut().for_each(|text| *text = redactor.apply(text));
        self
    }
}

impl AnsweredCell {
    pub(crate) fn redacted(self, redactor: &Redactor) -> AnsweredCell {
        let mut row = self.row;
        redact_columns(&mut row, redactor);
        AnsweredCell { line: self.line.redacted(redactor), row, ..self }
    }
}

pub(crate) fn redact_columns(columns: &mut Map<String, Value>, redactor: &Redactor) {
    columns.values_mut().for_each(|value| redactor.apply_texts(value));
}

/// A score of a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// 0 to 1; `None` if the score failed.
    pub score: Option<f64>,
    /// Set for yes and no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Score {
    /// Whether it is a score that an eval can have given.
    pub(crate) fn is_within_limits(&self) -> bool {
        self.score.is_none_or(|score| (0.0..=1.0).contains(&score))
    }
}

/// A cell with what its line does not have.
#[derive(Clone, Debug)]
pub struct AnsweredCell {
    pub line: CellLine,
    /// All columns of the row, those that only scores take too.
    pub row: Map<String, Value>,
    /// Verdicts of judges that its scores used.
    pub verdicts: Vec<VerdictCost>,
}

/// A verdict of a judge, which several cells may share.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictCost {
    /// Identifies it by its content.
    pub key: String,
    /// In dollars; `None` if the price is unknown.
    pub cost: Option<f64>,
}
