//! What an eval gave.

use super::{eval_file::EvalFile, line::AnsweredCell, options::CellName};
use lmthing_map::{EarlyEnd, Totals};

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
    /// Sentences about files other than OUT that were written.
    pub notes: Vec<String>,
}

/// Failures of cells that are alike.
#[derive(Clone, Debug)]
pub struct CellFailure {
    pub kind: String,
    pub message: String,
    pub hint: Option<String>,
    /// The first of them.
    pub cell: CellName,
    pub count: u64,
}

impl EvalOutcome {
    /// Whether every cell was answered and scored, or waits for a batch.
    pub fn is_complete(&self) -> bool {
        let is_answered = match self.totals.early {
            None => self.totals.left() == 0,
            Some(EarlyEnd::UnderWay) => true,
            Some(_) => false,
        };
        is_answered && self.unscored() == 0
    }

    /// The answers that lack scores, after an early end.
    pub fn unscored(&self) -> usize {
        let lacks_scores =
            |cell: &&AnsweredCell| cell.line.error.is_none() && cell.line.scores.len() < self.file.scores.len();
        self.cells.iter().filter(lacks_scores).count()
    }
}
