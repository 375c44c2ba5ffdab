//! One mistake, one finding: what two ways of looking have found is told once.

use std::path::{Path, PathBuf};

use super::Finding;

/// The findings of the type checker, and of those that running the file gave the ones that say something else.
pub(super) fn merged(types: Vec<Finding>, run: Vec<Finding>) -> Vec<Finding> {
    let told: Vec<(PathBuf, u32)> = types.iter().filter_map(line).collect();
    let is_told = |finding: &Finding| line(finding).is_some_and(|line| told.contains(&line));
    let more: Vec<Finding> = run.into_iter().filter(|finding| !is_told(finding)).collect();
    types.into_iter().chain(more).collect()
}

/// The line that a finding is about.
fn line(finding: &Finding) -> Option<(PathBuf, u32)> {
    let real = |file: &Path| std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    finding.span.map(|span| (real(&finding.file), span.start.line))
}
