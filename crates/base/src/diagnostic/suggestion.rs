//! "Did you mean": the closest name, or the closest existing file.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// Entries of a folder that are compared: a suggestion is not worth reading a huge one.
const MAX_ENTRIES: usize = 5_000;

/// `Did you mean 'examples/hello.lmt.mjs'?` for a path that does not exist, if a similar one does. `fits` filters the files.
pub fn did_you_mean(path: &Path, fits: fn(&Path) -> bool) -> Option<String> {
    similar_path(path, fits).map(|similar| format!("Did you mean '{}'?", similar.display()))
}

pub fn ends_in_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}

/// The path with each missing part replaced by the most similar entry of its folder.
fn similar_path(path: &Path, fits: fn(&Path) -> bool) -> Option<PathBuf> {
    let mut similar = PathBuf::new();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let next = similar.join(part);
        if !matches!(part, Component::Normal(_)) || if is_last { next.exists() && fits(&next) } else { next.is_dir() } {
            similar = next;
            continue;
        }
        let name = part.as_os_str().to_str()?;
        let names = sorted_names(&similar, |entry| if is_last { fits(entry) } else { entry.is_dir() });
        let meant =
            closest(name, names.iter().map(String::as_str)).or_else(|| with_same_stem(name, &names, is_last))?;
        similar.push(meant);
    }
    (similar != path).then_some(similar)
}

/// Matches `hello` and `hello.mjs` for `hello.lmt.mjs`.
fn with_same_stem<'a>(name: &str, names: &'a [String], is_file: bool) -> Option<&'a str> {
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
    let is_same = |known: &&String| is_file && !stem(name).is_empty() && stem(known) == stem(name);
    names.iter().find(is_same).map(String::as_str)
}

fn sorted_names(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Vec<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES);
    let wanted = entries.filter(|entry| is_wanted(&entry.path()));
    let mut names: Vec<String> = wanted.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// The candidate that `name` most likely means, if one is close enough.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A wrong case is the most frequent mistake and counts as no distance.
    let lower = name.to_lowercase();
    let close = |candidate: &str| strsim::jaro_winkler(&lower, &candidate.to_lowercase());
    candidates
        .into_iter()
        // The name itself was tried and did not work.
        .filter(|candidate| *candidate != name)
        .map(|candidate| (close(candidate), candidate))
        // Similarity alone tolerates too much in long names, and distance too much in short ones.
        .filter(|(score, candidate)| {
            let candidate = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&lower, &candidate);
            // Two swapped letters make a short name dissimilar, and are a frequent mistake.
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

/// The name in a suggestion, as hints and messages of TypeScript write it: `did you mean 'name'?`.
pub fn suggested_name(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("id you mean ")?;
    let (name, _) = rest.strip_prefix("to write ").unwrap_or(rest).strip_prefix('\'')?.split_once("'?")?;
    let name = name.trim_matches('"');
    (!name.is_empty()).then_some(name)
}
