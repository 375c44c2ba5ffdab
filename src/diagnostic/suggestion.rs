//! "Did you mean": the name closest to the one that was written. Must not know what is named.

/// The candidate that `name` most likely means, when one is close enough.
pub(crate) fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A wrong case is the likeliest slip of all, and no distance.
    let lower = name.to_lowercase();
    let close = |candidate: &str| strsim::jaro_winkler(&lower, &candidate.to_lowercase());
    candidates
        .into_iter()
        // What was asked for was there and did not do; to advise it again helps nobody.
        .filter(|candidate| *candidate != name)
        .map(|candidate| (close(candidate), candidate))
        // Both, because similarity forgives much in a long name, and distance much in a short one.
        .filter(|(score, candidate)| {
            let candidate = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&lower, &candidate);
            // Two letters of a short word that have changed places make it unlike, and are the commonest slip.
            (*score >= 0.85 && distance <= 2) || (distance == 1 && is_same_letters(&lower, &candidate))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn is_same_letters(a: &str, b: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(a) == sorted(b)
}
