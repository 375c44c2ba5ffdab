//! One mistake, one finding: what two ways of looking have found is told once.

use std::path::{Path, PathBuf};

use super::Finding;

/// The findings of the type checker, and of those that running the file gave the ones that say something else.
/// In the order of the source, those of `file` first, and those without a place behind it.
pub(super) fn merged(file: &Path, types: Vec<Finding>, run: Vec<Finding>) -> Vec<Finding> {
    let told: Vec<(PathBuf, u32)> = types.iter().filter_map(line).collect();
    let is_told = |finding: &Finding| line(finding).is_some_and(|line| told.contains(&line));
    let more: Vec<Finding> = run.into_iter().filter(|finding| !is_told(finding)).collect();
    let mut all: Vec<Finding> = types.into_iter().chain(more).collect();
    all.sort_by_cached_key(|finding| {
        let span = finding.span.map(|span| (span.start.line, span.start.column));
        (finding.file != file, finding.file.clone(), span.is_none(), span)
    });
    all
}

/// The line that a finding is about.
fn line(finding: &Finding) -> Option<(PathBuf, u32)> {
    let real = |file: &Path| std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    finding.span.map(|span| (real(&finding.file), span.start.line))
}
