//! Runs an eval: asks what has no answer yet, scores all answers (docs/reference/eval.md).

use std::rc::Rc;

use super::{
    eval_file::EvalFile,
    line::AnsweredCell,
    options::{CellName, EvalListener, EvalOptions},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::prompt::RunError;
use lmthing_map::Totals;

/// What an eval gave.
#[derive(Debug)]
pub struct EvalOutcome {
    pub file: EvalFile,
    /// Rows that were part of it: with `--sample`, those of the sample.
    pub rows: u64,
    /// Cells with an answer or a failure, in the order of rows, variants, models and repetitions. At an early end not
    /// all of them, and perhaps without scores.
    pub cells: Vec<AnsweredCell>,
    /// Counts of cells in the place of rows; why the eval has ended early.
    pub totals: Totals,
    /// The failures of cells.
    pub failures: Vec<CellFailure>,
    /// US dollars of verdicts that this command has asked for, as far as costs are known.
    pub judge_cost: f64,
    pub is_judge_cost_unknown: bool,
}

/// Failures of cells that are alike.
#[derive(Clone, Debug)]
pub struct CellFailure {
    pub kind: String,
    pub message: String,
    /// The first of them.
    pub cell: CellName,
    pub count: u64,
}

/// Runs an eval file. On an error nothing was asked.
pub fn run_eval(options: EvalOptions, listener: &mut dyn EvalListener) -> Result<EvalOutcome, Rc<RunError>> {
    let _ = (options, listener);
    Err(Rc::new(RunError::from(Diagnostic::new("evals are not run yet"))))
}
