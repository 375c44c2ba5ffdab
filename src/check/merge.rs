//! One mistake, one finding: what two ways of looking have found is told once.

use super::Finding;

/// The findings of the type checker, and of those that running the file gave the ones that say something else.
pub(super) fn merged(types: Vec<Finding>, run: Vec<Finding>) -> Vec<Finding> {
    let is_told = |finding: &Finding| {
        types.iter().any(|known| {
            known.file == finding.file
                && known.span.map(|span| span.start.line) == finding.span.map(|span| span.start.line)
        })
    };
    let more: Vec<Finding> = run.into_iter().filter(|finding| !is_told(finding)).collect();
    types.into_iter().chain(more).collect()
}
