//! Sets of row numbers, one bit a row: a million rows take 125 KB.

#[derive(Clone, Debug, Default)]
pub(super) struct RowSet(Vec<u64>);

impl RowSet {
    pub(super) fn insert(&mut self, row: u64) {
        let (word, bit) = position(row);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    pub(super) fn contains(&self, row: u64) -> bool {
        let (word, bit) = position(row);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|bits| u64::from(bits.count_ones())).sum()
    }
}

fn position(row: u64) -> (usize, u64) {
    (usize::try_from(row / 64).unwrap_or(usize::MAX), 1 << (row % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_rows_are_contained_and_counted() {
        let mut bits = RowSet::default();
        [1, 64, 1000].into_iter().for_each(|row| bits.insert(row));
        assert_eq!((bits.count(), bits.contains(1000), bits.contains(64), bits.contains(9999)), (3, true, true, false));
    }
}
