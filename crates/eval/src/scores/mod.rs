//! Scoring of answers: the thread that loads an eval file and calls its scores (docs/reference/eval.md).

mod host;
mod inbox;
#[cfg(test)]
mod tests;
mod text;
mod thread;
mod worker;

use std::{collections::HashMap, num::NonZeroUsize, path::PathBuf, sync::Arc};

use indexmap::IndexMap;

use crate::line::{Score, VerdictCost};
use lmthing_base::{cost::OwnPrices, diagnostic::Diagnostic, permission::Permissions};
use lmthing_engine::{bindings::Exchanges, session::CombinedLimits};
use lmthing_providers::{Redactor, Servers};

pub use lmthing_engine::bindings::eval::{ScoredCell as ScoreRequest, Verdict};
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

/// What the thread reports. Sent from its thread.
#[derive(Debug)]
pub enum ScoreMessage {
    /// All scores of a cell.
    Scored {
        number: u64,
        scores: IndexMap<String, Score>,
        verdicts: Vec<VerdictCost>,
    },
    /// A judge has answered, which with a key should be kept at once.
    Verdict {
        key: Option<String>,
        verdict: Verdict,
    },
    /// Whole lines of what the eval file prints.
    Printed(String),
    Warned(String),
    /// The thread cannot go on: it sends no more scores.
    Failed(Box<Diagnostic>),
}

/// Verdicts by their keys.
pub type Verdicts = HashMap<String, Verdict>;

/// Why an eval file cannot be used.
#[derive(Debug)]
pub enum StartError {
    /// The file or its exports are wrong.
    File(Box<Diagnostic>),
    /// The command does not fit the file: a limit on cost, and a judge whose price is unknown.
    Usage(Box<Diagnostic>),
    /// The user has interrupted the command while the file was loaded.
    Interrupted,
}
