//! What files are called by. Must not know what is in them.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use crate::files::{PROMPT_FILE_SUFFIXES, absolute};

/// The longest name that all clients and providers take.
const MAX_NAME: usize = 64;

/// What a file is called at Restate that is served alone, or with others of other names.
pub(crate) fn service_of(file: &Path) -> String {
    service_name(&name(file, 0))
}

/// Names for files, in the same order. No two are alike: where two would be, the folders they are in stand in front.
pub(super) fn names(files: &[PathBuf]) -> Vec<String> {
    let paths: Vec<PathBuf> = files.iter().map(|file| absolute(file)).collect();
    let mut names: Vec<String> = paths.iter().map(|file| name(file, 0)).collect();
    let deepest = paths.iter().map(|file| file.components().count()).max().unwrap_or_default();
    // As few folders as tell them apart.
    for depth in 1..deepest {
        for group in alike(&names) {
            // No folder tells those of one folder apart.
            let is_one_folder = group.iter().all(|place| paths[*place].parent() == paths[group[0]].parent());
            if !is_one_folder {
                group.into_iter().for_each(|place| names[place] = name(&paths[place], depth));
            }
        }
    }
    number(names)
}

/// What a file of this name is called at Restate, whose names of services begin with a letter, and not with words of its own.
pub(crate) fn service_name(name: &str) -> String {
    let small = name.to_ascii_lowercase();
    let is_taken = ["restate", "openapi"].iter().any(|own| small.starts_with(own));
    let mut letters = name.bytes();
    let begins_well = match letters.next() {
        Some(b'_') => letters.next().is_some_and(|letter| letter.is_ascii_alphanumeric()),
        first => first.is_some_and(|letter| letter.is_ascii_alphabetic()),
    };
    if begins_well && !is_taken { name.to_owned() } else { format!("prompt_{}", name.trim_start_matches(['_', '-'])) }
}

/// The places of names that are alike.
fn alike(names: &[String]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        places.entry(name).or_default().push(place);
    }
    places.into_values().filter(|group| group.len() > 1).collect()
}

/// Numbers behind those that are still alike, such as those of `a.lmt.mjs` and `a.lmt.ts`.
fn number(names: Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut seen: HashSet<String> = HashSet::new();
    let apart = |name: String| {
        if seen.insert(name.clone()) {
            return name;
        }
        let numbered = (2..).map(|number| {
            let end = format!("_{number}");
            format!("{}{end}", &name[..name.len().min(MAX_NAME - end.len())])
        });
        let mut free = numbered.filter(|name| !taken.contains(name));
        let name = free.next().unwrap_or(name);
        taken.insert(name.clone());
        name
    };
    names.into_iter().map(apart).collect()
}

/// The name of a file with so many of its folders in front.
fn name(file: &Path, folders: usize) -> String {
    let own = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = PROMPT_FILE_SUFFIXES.iter().find_map(|ending| own.strip_suffix(ending)).unwrap_or(&own);
    let parts = file.parent().into_iter().flat_map(Path::components);
    let parts: Vec<String> = parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let front = parts[parts.len().saturating_sub(folders)..].iter().map(|part| clean(part));
    let mut name = front.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    let stem = clean(stem);
    let stem = if stem.is_empty() { "prompt" } else { &stem };
    if !name.is_empty() {
        name.push('_');
    }
    name.push_str(stem);
    shortened(name)
}

/// What is in a name that every client takes: letters, digits, `_` and `-`.
fn clean(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' => name.push(letter),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    // What was changed at the ends says nothing.
    let is_kept = |end: Option<char>| end.is_some_and(|letter| letter == '_' || letter == '-');
    let name = if is_kept(text.chars().next()) { &name } else { name.trim_start_matches('_') };
    let name = if is_kept(text.chars().next_back()) { name } else { name.trim_end_matches('_') };
    name.to_owned()
}

/// A name that is not too long: the end of it tells such names apart, and stays what it is from run to run.
fn shortened(mut name: String) -> String {
    if name.len() > MAX_NAME {
        let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let end = format!("_{hash:08x}");
        name.truncate(MAX_NAME - end.len());
        name.push_str(&end);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(files: &[&str]) -> Vec<String> {
        names(&files.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_file_is_called_by_its_name() {
        let long = format!("/p/{}.lmt.mjs", "x".repeat(70));
        for (file, name) in [
            ("/p/weather.lmt.mjs", "weather"),
            ("/p/weather-2.lmt.ts", "weather-2"),
            ("/p/my prompt (new).lmt.mts", "my_prompt_new"),
            ("/p/a.b.lmt.js", "a_b"),
            ("/p/größe.lmt.mjs", "gr_e"),
            ("/p/天気.lmt.mjs", "prompt"),
            ("/p/_own_.lmt.mjs", "_own_"),
            (&long, &format!("{}_", "x".repeat(55))),
        ] {
            let got = named(&[file]).remove(0);
            assert!(got.starts_with(name) && (got.len() == 64 || got == name), "{file}: {got}");
        }
    }

    #[test]
    fn services_begin_with_a_letter() {
        for (name, service) in [
            ("weather-2", "weather-2"),
            ("_own", "_own"),
            ("2024", "prompt_2024"),
            ("-a", "prompt_a"),
            ("__a", "prompt_a"),
            ("restate-docs", "prompt_restate-docs"),
            ("OpenAPI", "prompt_OpenAPI"),
        ] {
            assert_eq!(service_name(name), service);
        }
    }

    #[test]
    fn names_that_are_alike_get_their_folders() {
        for (files, names) in [
            (&["/p/a/w.lmt.mjs", "/p/b/w.lmt.mjs", "/p/c/v.lmt.mjs"][..], &["a_w", "b_w", "v"][..]),
            (&["/p/a/x/w.lmt.mjs", "/p/b/x/w.lmt.mjs"], &["a_x_w", "b_x_w"]),
            (&["/p/w.lmt.mjs", "/p/b/w.lmt.mjs"], &["p_w", "b_w"]),
            (&["/p/w.lmt.mjs", "/p/w.lmt.ts"], &["w", "w_2"]),
            (&["/p/a/w.lmt.mjs", "/p/a/w.lmt.ts", "/p/b/w.lmt.ts"], &["a_w", "a_w_2", "b_w"]),
            (&["/p/a b.lmt.mjs", "/p/a_b.lmt.mjs", "/p/p_a_b_2.lmt.mjs"], &["a_b", "a_b_2", "p_a_b_2"]),
            (&["/p/天.lmt.mjs", "/p/気.lmt.mjs"], &["prompt", "prompt_2"]),
        ] {
            assert_eq!(named(files), names, "{files:?}");
        }
    }
}
