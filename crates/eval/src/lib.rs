//! Compares variants of a prompt file and models over rows with scores (docs/reference/eval.md).

mod eval_file;
mod line;

pub use eval_file::{EvalFile, EvalRows, Variant};
pub use line::{AnsweredCell, CellLine, Score, VerdictCost};
