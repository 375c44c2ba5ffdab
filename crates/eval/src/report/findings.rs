//! What a report lists one by one: rows on which groups disagree, and errors.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    evaluated::Evaluated,
    style::one_line,
    summary::{Compared, Name, gap},
};
use crate::{AnsweredCell, CellLine, CellName};

/// A row on which groups disagree in a score.
pub(super) struct Disagreement<'a> {
    pub row: u64,
    pub input: &'a Map<String, Value>,
    /// The score in which they differ most.
    pub score: &'a str,
    /// Of each group that has it the mean of its repetitions.
    pub means: Vec<(Name<'a>, f64)>,
    gap: f64,
}

/// Errors with the same message.
pub(super) struct ErrorGroup {
    /// Empty for the run itself.
    pub score: String,
    pub message: String,
    pub first: CellName,
    pub count: u64,
}

impl ErrorGroup {
    /// Example: `right: TypeError: … (row 3, short, and 4 more)`.
    pub(super) fn line(&self) -> String {
        let what = if self.score.is_empty() { "run".to_owned() } else { one_line(&self.score) };
        format!("{what}: {} ({})", one_line(&self.message), one_line(&self.place()))
    }

    /// Example: `row 3, short, and 4 more`.
    pub(super) fn place(&self) -> String {
        match self.count {
            1 => self.first.to_string(),
            count => format!("{}, and {} more", self.first, count - 1),
        }
    }
}

impl<'a> Evaluated<'a> {
    pub(super) fn compared(&self) -> Compared<'a> {
        Compared::of(self.file, self.cells)
    }

    /// The largest gap first.
    pub(super) fn disagreements(&self) -> Vec<Disagreement<'a>> {
        let inputs: BTreeMap<u64, &Map<String, Value>> =
            self.cells.iter().map(|cell| (cell.line.row, &cell.line.input)).collect();
        let compared = self.compared();
        let mut found: Vec<Disagreement<'_>> = inputs
            .into_iter()
            .filter_map(|(row, input)| {
                let scores = compared.different(row).into_iter().rev();
                // The first of those with the largest gap.
                let with_gaps = scores.map(|(score, means)| (gap(&means), score, means));
                let (gap, score, means) = with_gaps.max_by(|a, b| a.0.total_cmp(&b.0))?;
                Some(Disagreement { row, input, score, means, gap })
            })
            .collect();
        found.sort_by(|a, b| b.gap.total_cmp(&a.gap));
        found
    }

    /// Errors of runs and of scores, in the order of their first cells.
    pub(super) fn error_groups(&self) -> Vec<ErrorGroup> {
        let mut groups: Vec<ErrorGroup> = Vec::new();
        for cell in self.cells {
            let run = cell.line.error.iter().map(|error| ("", format!("{}: {}", error.kind, error.message)));
            let failed = |(name, score): (&'a String, &crate::Score)| Some((name.as_str(), score.error.clone()?));
            for (score, message) in run.chain(cell.line.scores.iter().filter_map(failed)) {
                match groups.iter_mut().find(|group| group.score == score && group.message == message) {
                    Some(group) => group.count += 1,
                    None => groups.push(ErrorGroup {
                        score: score.to_owned(),
                        message,
                        first: self.cell_name(cell),
                        count: 1,
                    }),
                }
            }
        }
        groups
    }

    fn cell_name(&self, AnsweredCell { line, .. }: &AnsweredCell) -> CellName {
        let has_other = |is_other: &dyn Fn(&CellLine) -> bool| self.cells.iter().any(|cell| is_other(&cell.line));
        CellName {
            row: line.row,
            variant: has_other(&|other| other.variant != line.variant).then(|| line.variant.clone()),
            model: has_other(&|other| other.model != line.model).then(|| line.model.clone()),
            repeat: has_other(&|other| other.repeat > 1).then_some(line.repeat),
        }
    }
}
