//! The data of the page (`--format html`).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{evaluated::Evaluated, types::EvalReport};
use crate::{AnsweredCell, CellLine};

#[derive(Serialize)]
struct PageData<'a> {
    evals: Vec<PageEval<'a>>,
    ok: bool,
    failures: &'a [String],
    version: &'a str,
    created: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageEval<'a> {
    #[serde(flatten)]
    report: Value,
    score_names: &'a [String],
    lines: Vec<PageLine<'a>>,
    baseline: Option<&'a str>,
    /// Of each group the variant and the model of the baseline that it is compared with.
    baseline_groups: &'a Option<Vec<Option<(String, String)>>>,
    /// The numbers of rows on which groups disagree.
    disagreeing: Vec<u64>,
    /// Of rows that are in both, with the numbers of this eval.
    baseline_lines: Option<Vec<CellLine>>,
}

#[derive(Serialize)]
struct PageLine<'a> {
    #[serde(flatten)]
    line: &'a CellLine,
    /// What `input` does not have.
    columns: Map<String, Value>,
}

impl<'a> PageEval<'a> {
    fn new(report: &'a EvalReport, eval: &Evaluated<'a>) -> Self {
        PageEval {
            report: with_others(report),
            score_names: &eval.file.scores,
            lines: eval.cells.iter().map(PageLine::new).collect(),
            baseline: eval.baseline.map(|baseline| baseline.shown_path.as_str()),
            baseline_groups: &report.baseline_groups,
            disagreeing: eval.disagreements().iter().map(|row| row.row).collect(),
            baseline_lines: eval.baseline.map(|baseline| baseline.lines_of_rows(eval.cells)),
        }
    }
}

/// The report, in which each difference has `other`: the variant and the model that it is against.
fn with_others(report: &EvalReport) -> Value {
    let mut value = json!(report);
    let differences = value["differences"].as_array_mut().into_iter().flatten();
    for (shown, difference) in differences.zip(&report.differences) {
        shown["other"] = json!(difference.other);
    }
    value
}

impl<'a> PageLine<'a> {
    fn new(AnsweredCell { line, row, .. }: &'a AnsweredCell) -> Self {
        let others = row.iter().filter(|(name, _)| !line.input.contains_key(*name));
        PageLine { line, columns: others.map(|(name, value)| (name.clone(), value.clone())).collect() }
    }
}

/// What has no part of its own in the reports of evals.
pub(super) struct Frame<'a> {
    pub ok: bool,
    pub failures: &'a [String],
    pub version: &'a str,
    pub created: &'a str,
}

pub(super) fn data(evals: &[EvalReport], evaluated: &[Evaluated<'_>], frame: &Frame<'_>) -> serde_json::Result<String> {
    let evals = evals.iter().zip(evaluated).map(|(report, eval)| PageEval::new(report, eval));
    let Frame { ok, failures, version, created } = *frame;
    serde_json::to_string(&PageData { evals: evals.collect(), ok, failures, version, created })
}
