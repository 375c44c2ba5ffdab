//! Compares variants of a prompt file and models over rows with scores (docs/reference/eval.md).

mod eval_file;
mod line;
mod options;
pub mod report;
mod run;
mod scores;
mod statistics;

pub use eval_file::{EvalFile, EvalRows, Variant};
pub use line::{AnsweredCell, CellLine, Score, VerdictCost};
pub use options::{CellName, EvalListener, EvalOptions, EvalProgress};
pub use run::{CellFailure, EvalOutcome, run_eval};
pub use scores::{
    JudgeExchanges, ScoreMessage, ScoreOptions, ScoreRequest, ScoreThread, StartError, Verdict, Verdicts,
};
