//! Compares variants of a prompt file and models over rows with scores (docs/reference/eval.md).

mod book;
mod earlier;
mod eval_file;
mod forward;
mod line;
mod load;
mod options;
mod out;
mod outcome;
mod plan;
mod recordings;
pub mod report;
mod run;
mod scores;
mod state;
mod statistics;

pub use eval_file::{EvalFile, EvalRows, Variant};
pub use line::{AnsweredCell, CellLine, Score, VerdictCost};
pub use options::{CellName, EvalListener, EvalOptions, EvalProgress};
pub use outcome::{CellFailure, EvalOutcome};
pub use run::PreparedEval;
pub use scores::{
    JudgeExchanges, ScoreMessage, ScoreOptions, ScoreRequest, ScoreThread, StartError, Verdict, Verdicts,
};
