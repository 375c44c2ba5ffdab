//! Groups the failures of a map by similarity.

use super::results::RowError;

const MAX_GROUPS: usize = 50;

const MAX_MESSAGE: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureGroup {
    pub kind: String,
    pub message: String,
    /// Of the first row.
    pub hint: Option<String>,
    /// The first row.
    pub row: u64,
    /// Its line, for a row that does not fit.
    pub line: Option<u64>,
    pub count: u64,
    pattern: String,
}

#[derive(Clone, Debug, Default)]
pub struct FailureSummary {
    groups: Vec<FailureGroup>,
    others: u64,
}

impl FailureSummary {
    pub(super) fn add(&mut self, row: u64, failure: &RowError) {
        let line = failure.message.split("\n\n").next().unwrap_or_default();
        let message: String = line.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_MESSAGE).collect();
        let pattern = pattern(&message);
        let is_alike = |group: &&mut FailureGroup| group.kind == failure.kind && group.pattern == pattern;
        let is_full = self.groups.len() >= MAX_GROUPS;
        match self.groups.iter_mut().find(is_alike) {
            Some(group) => group.count += 1,
            None if is_full => self.others += 1,
            None => self.groups.push(FailureGroup {
                kind: failure.kind.clone(),
                message,
                hint: failure.hint().map(str::to_owned),
                row,
                line: failure.row_line,
                count: 1,
                pattern,
            }),
        }
    }

    pub fn groups(&self) -> Vec<&FailureGroup> {
        let mut groups: Vec<&FailureGroup> = self.groups.iter().collect();
        groups.sort_by(|a, b| b.count.cmp(&a.count).then(a.row.cmp(&b.row)));
        groups
    }

    /// Failures that belong to no group because there were too many.
    pub fn others(&self) -> u64 {
        self.others
    }
}

/// Replaces numbers and quoted parts, which differ from row to row.
fn pattern(message: &str) -> String {
    let mut pattern = String::new();
    let mut quoted_by = None;
    for character in message.chars() {
        match quoted_by {
            Some(quote) if character == quote => quoted_by = None,
            Some(_) => {}
            None if matches!(character, '\'' | '"' | '`') => {
                quoted_by = Some(character);
                pattern.push('…');
            }
            None if character.is_ascii_digit() => {
                if !pattern.ends_with('#') {
                    pattern.push('#');
                }
            }
            None => pattern.push(character),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_failures_are_one_kind() {
        let mut summary = FailureSummary::default();
        let failure = |kind: &str, message: &str| RowError::new(1, kind, message.to_owned());
        summary.add(3, &failure("script", "row 3 is 'bad'"));
        summary.add(2, &failure("model", "row 3 is 'bad'"));
        summary.add(17, &failure("script", "row 17 is 'worse'"));
        let counts: Vec<_> = summary.groups().iter().map(|group| (group.row, group.count)).collect();
        assert_eq!(counts, [(3, 2), (2, 1)]);
    }
}
