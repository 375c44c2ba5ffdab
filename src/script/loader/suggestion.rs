//! "Did you mean": the name closest to the one that was written.

/// The candidate that `name` most likely means, when one is close enough.
pub(super) fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let close = |candidate: &str| strsim::jaro_winkler(name, candidate);
    candidates
        .into_iter()
        .map(|candidate| (close(candidate), candidate))
        .filter(|(score, candidate)| *score >= 0.85 && strsim::damerau_levenshtein(name, candidate) <= 2)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
