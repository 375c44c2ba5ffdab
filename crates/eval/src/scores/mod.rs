//! Scoring of answers: the thread that loads an eval file and calls its scores (docs/reference/eval.md).

mod thread;

use std::{collections::HashMap, num::NonZeroUsize, path::PathBuf, sync::Arc};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::line::{Score, VerdictCost};
use lmthing_base::{chat::Usage, cost::OwnPrices, diagnostic::Diagnostic, permission::Permissions};
use lmthing_engine::{bindings::Exchanges, session::CombinedLimits};
use lmthing_providers::{Redactor, Servers};

pub use thread::ScoreThread;

/// Makes what answers the requests of judges, on the thread of the scores.
pub type JudgeExchanges = Box<dyn FnOnce(&Redactor) -> Exchanges + Send>;

pub struct ScoreOptions {
    /// The eval file, absolute.
    pub file: PathBuf,
    /// As the user typed it.
    pub shown_file: String,
    /// `process.env`; keys of judges and aliases of models are read from it as well.
    pub variables: Vec<(String, String)>,
    pub own_prices: OwnPrices,
    pub permissions: Permissions,
    /// Unless set, models answer.
    pub judge_exchanges: Option<JudgeExchanges>,
    /// The limits of the command, in which judges count.
    pub overall: Arc<CombinedLimits>,
    /// Rate limits of providers, shared with the cells.
    pub servers: Arc<Servers>,
    /// Most verdicts that are asked for at once.
    pub jobs: NonZeroUsize,
}

/// An answer to score.
#[derive(Clone, Debug)]
pub struct ScoreRequest {
    /// Identifies the cell in the messages.
    pub number: u64,
    /// All columns of the row.
    pub row: Map<String, Value>,
    /// `{text, output?, toolCalls, steps, usage, cost, finishReason, durationMs}`. Scores get its `text` and `output`
    /// also by themselves.
    pub run: Value,
}

/// What the thread reports. Sent from its thread.
#[derive(Debug)]
pub enum ScoreMessage {
    /// All scores of a cell.
    Scored {
        number: u64,
        scores: IndexMap<String, Score>,
        verdicts: Vec<VerdictCost>,
    },
    /// A judge has answered, which should be kept at once.
    Verdict {
        key: String,
        verdict: Verdict,
    },
    /// Whole lines of what the eval file prints.
    Printed(String),
    Warned(String),
    /// The thread cannot go on: it sends no more scores.
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

/// Verdicts by their keys.
pub type Verdicts = HashMap<String, Verdict>;

/// Why an eval file cannot be used.
#[derive(Debug)]
pub enum StartError {
    /// The file or its exports are wrong.
    File(Box<Diagnostic>),
    /// The user has interrupted the command while the file was loaded.
    Interrupted,
}
