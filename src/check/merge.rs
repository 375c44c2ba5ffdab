//! One mistake, one finding: what two ways of looking have found is told once.

use std::path::{Path, PathBuf};

use super::{Finding, Severity};

/// What TypeScript says of modules that are not there, or that do not export a name: these keep a file from loading.
const IMPORTS: [u32; 9] = [2305, 2306, 2307, 2459, 2460, 2614, 2724, 2792, 2835];

/// Whether a file in which that was found cannot be loaded: its syntax is wrong, or one of its imports.
pub(super) fn cannot_load(types: &[Finding]) -> bool {
    let keeps = |finding: &Finding| {
        let number = finding.code.strip_prefix("TS").and_then(|number| number.parse().ok());
        let is_syntax = number.is_some_and(|number: u32| (1000..2000).contains(&number));
        let is_import = number.is_some_and(|number| IMPORTS.contains(&number));
        is_syntax || is_import || ["syntax", "import"].contains(&finding.code.as_str())
    };
    types.iter().any(|finding| finding.severity == Severity::Error && keeps(finding))
}

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
