//! What an eval file exports and what its scores give, as plain data.

use std::{collections::HashMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bindings::inspect::Fault;
use lmthing_base::{chat::Usage, diagnostic::Diagnostic};

#[derive(Clone, Debug)]
pub enum EvalRows {
    /// A file of rows, absolute.
    File(PathBuf),
    /// An array, or what a function has returned. Not empty.
    Objects(Vec<Map<String, Value>>),
}

/// What is run for each row: a prompt file with what replaces its own settings.
#[derive(Clone, Debug)]
pub struct Variant {
    pub name: String,
    /// The prompt file, absolute: of the variant, else of the eval file.
    pub file: PathBuf,
    /// As the user would name it in a message.
    pub shown_file: String,
    /// Replaces the model of the prompt file and those of `--models`.
    pub model: Option<String>,
    /// Replaces entries of `config.options` of the prompt file.
    pub options: Map<String, Value>,
    /// Replaces properties of the input of each row.
    pub input: Map<String, Value>,
    /// Replaces entries of `config.limits` of the prompt file.
    pub limits: Map<String, Value>,
}

/// The exports of an eval file, checked.
#[derive(Clone, Debug)]
pub struct EvalExports {
    pub rows: EvalRows,
    /// In the order of the file; one named `default` if the file exports none. Not empty.
    pub variants: Vec<Variant>,
    /// Names of the scores, in the order of the file. Not empty.
    pub scores: Vec<String>,
    /// Why a judge of `scores` could not be asked, such as a missing key.
    pub unusable_judge: Option<Box<Fault>>,
}

/// An answer to score.
#[derive(Clone, Debug)]
pub struct ScoredCell {
    /// Identifies it in the results.
    pub number: u64,
    /// All columns of the row.
    pub row: Map<String, Value>,
    /// `{text, output?, toolCalls, steps, usage, cost, finishReason, durationMs}`. Scores get its `text` and `output`
    /// also by themselves.
    pub run: Value,
}

/// What [`score_cells`](super::score_cells) takes.
#[derive(Debug)]
pub enum ScoreInput {
    Cell(ScoredCell),
    /// Verdicts of earlier commands by their keys, for the cells after them.
    Verdicts(HashMap<String, Verdict>),
}

/// The scores of a cell.
#[derive(Clone, Debug)]
pub struct CellScores {
    pub number: u64,
    /// By name, in the order of the file. At an early end those that are there.
    pub scores: Vec<(String, ScoreOutcome)>,
    /// The keys of the verdicts that its judges used, with their costs.
    pub verdicts: Vec<(String, Option<f64>)>,
}

#[derive(Clone, Debug)]
pub enum ScoreOutcome {
    YesNo {
        pass: bool,
        reason: Option<String>,
    },
    /// From 0 to 1.
    Number {
        score: f64,
        reason: Option<String>,
    },
    Failed(Box<Diagnostic>),
}

/// The verdict of a judge about one subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub pass: bool,
    pub reason: String,
    pub usage: Usage,
    /// In dollars; `None` if the price is unknown.
    pub cost: Option<f64>,
}
