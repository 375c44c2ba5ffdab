//! Eval files: their exports, and their scores with judges (docs/reference/eval.md). `runtime-js/src/builtins/eval` asks the
//! judges.

mod call;
mod exports;
mod load;
mod natives;
mod outcome;
mod readers;
mod result;
mod rows;
mod score;
mod scoring;
mod variants;

pub use load::{EvalFault, inspect_eval_file, load_eval_file};
pub use natives::NATIVE;
pub use outcome::{CellScores, EvalExports, EvalRows, ScoreInput, ScoreOutcome, ScoredCell, Variant, Verdict};
pub use score::{ScoreInputs, score_cells};
pub use scoring::{ScoreHost, install};
