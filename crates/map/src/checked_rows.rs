//! Result of the validation: which rows are invalid, which have results, which are to be run.

use std::collections::BTreeMap;

use super::row_set::RowSet;
use lmthing_base::diagnostic::Diagnostic;

/// Further invalid rows get a general message.
const MAX_WRONG: usize = 10_000;

/// Why a row is invalid.
#[derive(Clone, Debug, Default)]
pub(super) struct InvalidRowFault {
    pub(super) message: String,
    /// The row's line, unless the message has it or the row is a file.
    pub(super) line: Option<u64>,
}

#[derive(Default)]
pub(super) struct CheckedRows {
    pub(super) total: u64,
    pub(super) reused: u64,
    pub(super) done: RowSet,
    pub(super) invalid: BTreeMap<u64, InvalidRowFault>,
    pub(super) invalid_rows: RowSet,
}

impl CheckedRows {
    pub(super) fn add_invalid(&mut self, row: u64, fault: InvalidRowFault) {
        self.invalid_rows.insert(row);
        if self.invalid.len() < MAX_WRONG {
            self.invalid.insert(row, fault);
        }
    }

    /// Fails if there are rows and none of them is valid.
    pub(super) fn check(&self, name: &str) -> Result<(), Box<Diagnostic>> {
        if self.total == 0 || self.invalid_rows.count() < self.total {
            return Ok(());
        }
        let first = self.invalid.first_key_value().map(|(row, InvalidRowFault { message, line })| {
            let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
            format!(": row {row}: {message}{line}")
        });
        let first = first.unwrap_or_default();
        let what = if self.total == 1 { "the only row".to_owned() } else { format!("none of the {} rows", self.total) };
        let fits = if self.total == 1 { "does not fit" } else { "fits" };
        Err(Box::new(Diagnostic::new(format!("{what} of {name} {fits} what the file takes{first}"))))
    }

    pub(super) fn todo(&self, sample: Option<u64>) -> RowSet {
        let mut todo = RowSet::default();
        (1..=self.total)
            .filter(|row| is_sampled(*row, sample, self.total) && !self.done.contains(*row))
            .for_each(|row| todo.insert(row));
        todo
    }
}

/// Whether a row, counted from 1, is in a sample. It is evenly spread and starts with the first row, so that the same
/// sample is drawn each time.
pub fn is_sampled(row: u64, sample: Option<u64>, total: u64) -> bool {
    let is_first = |sample: u64| is_first_of_its_part(u128::from(row - 1), u128::from(sample), u128::from(total));
    sample.is_none_or(|sample| sample >= total || is_first(sample))
}

/// Whether a row, counted from 0, is the first of one of `sample` parts of about equal size.
fn is_first_of_its_part(row: u128, sample: u128, total: u128) -> bool {
    let part = |row: u128| row * sample / total;
    row == 0 && sample > 0 || row > 0 && part(row) != part(row - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_all_rows() {
        let todo = |total, sample| {
            let todo = CheckedRows { total, ..CheckedRows::default() }.todo(sample);
            (1..=total).filter(|row| todo.contains(*row)).collect::<Vec<_>>()
        };
        assert_eq!(todo(10, Some(3)), [1, 5, 8]);
        assert_eq!(todo(3, Some(5)), [1, 2, 3]);
        assert_eq!(todo(2, None), [1, 2]);
        assert_eq!(todo(1000, Some(100)).len(), 100);
    }
}
