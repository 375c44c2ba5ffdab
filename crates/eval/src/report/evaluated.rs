//! What a report is made of.

use super::baseline::Baseline;
use crate::{AnsweredCell, EvalFile};

/// What a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<'a> {
    pub file: &'a EvalFile,
    pub rows: u64,
    /// In the order row, variant, model, repetition.
    pub cells: &'a [AnsweredCell],
    pub baseline: Option<&'a Baseline>,
    /// Whether every cell that was asked for is there.
    pub is_complete: bool,
}

impl Evaluated<'_> {
    pub(super) fn is_ok(&self) -> bool {
        let is_ok = |cell: &AnsweredCell| {
            cell.line.error.is_none() && cell.line.scores.values().all(|score| score.error.is_none())
        };
        self.is_complete && self.cells.iter().all(is_ok)
    }
}
