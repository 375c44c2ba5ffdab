//! The report of an eval as JSON has it (docs/reference/eval.md).

use indexmap::IndexMap;
use serde::Serialize;

use lmthing_base::chat::Usage;

/// The report of one eval file.
#[derive(Clone, Debug, Serialize)]
pub struct EvalReport {
    /// The eval file as the user typed it.
    pub file: String,
    pub rows: u64,
    pub cells: u64,
    /// In the order of variants, then of models.
    pub groups: Vec<Group>,
    pub differences: Vec<Difference>,
    /// Of each group the variant and the model of the baseline that it is compared with.
    #[serde(skip)]
    pub baseline_groups: Option<Vec<Option<(String, String)>>>,
}

/// The cells of a variant with a model.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    pub variant: String,
    pub model: String,
    pub cells: u64,
    /// Cells whose run failed.
    pub errors: u64,
    /// In dollars; `None` if a price is unknown.
    pub cost: Option<f64>,
    /// Of the judges, each verdict once.
    pub judge_cost: Option<f64>,
    pub usage: Usage,
    pub duration_ms: Durations,
    pub scores: IndexMap<String, ScoreSummary>,
}

/// Quantiles over the cells whose run did not fail; `None` without such cells.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Durations {
    pub p50: Option<u64>,
    pub p95: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreKind {
    Boolean,
    Number,
}

/// The mean of a score with its interval; `None` without a row that has it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ScoreSummary {
    pub kind: ScoreKind,
    /// Rows that have it.
    pub n: u64,
    pub mean: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    /// The first variant; of one variant the first model.
    First,
    Baseline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    #[serde(rename = "better")]
    Better,
    #[serde(rename = "worse")]
    Worse,
    #[serde(rename = "no difference shown")]
    NotShown,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::NotShown => "no difference shown",
        }
    }
}

/// By how much a group has more of a score than another, over the rows that both have.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    pub score: String,
    pub variant: String,
    pub model: String,
    pub against: Against,
    /// What it is compared with.
    #[serde(skip)]
    pub other: (String, String),
    pub n: u64,
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    pub verdict: Verdict,
}
