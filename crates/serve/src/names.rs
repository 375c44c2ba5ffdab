//! Names of served files.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use lmthing_system::files::{PROMPT_FILE_SUFFIXES, absolute};

/// The longest name that all clients and providers accept.
const MAX_NAME: usize = 64;

/// Default name of a file's Restate service.
pub fn service_of(file: &Path) -> String {
    service_name(&name(file, 0))
}

/// Returns unique names in the order of the files. Where file names are equal, their folders are prefixed.
pub(super) fn names(files: &[PathBuf]) -> Vec<String> {
    let paths: Vec<PathBuf> = files.iter().map(|file| absolute(file)).collect();
    let mut names: Vec<String> = paths.iter().map(|file| name(file, 0)).collect();
    let deepest = paths.iter().map(|file| file.components().count()).max().unwrap_or_default();
    // Use as few folders as possible.
    for depth in 1..deepest {
        for group in duplicates(&names) {
            // Prefixes cannot distinguish files of the same folder.
            let is_one_folder = group.iter().all(|index| paths[*index].parent() == paths[group[0]].parent());
            if !is_one_folder {
                group.into_iter().for_each(|index| names[index] = name(&paths[index], depth));
            }
        }
    }
    number(names)
}

/// Makes a name valid for Restate, where services begin with a letter and some prefixes are reserved.
pub fn service_name(name: &str) -> String {
    let small = name.to_ascii_lowercase();
    let is_taken = ["restate", "openapi"].iter().any(|own| small.starts_with(own));
    let mut letters = name.bytes();
    let begins_well = match letters.next() {
        Some(b'_') => letters.next().is_some_and(|letter| letter.is_ascii_alphanumeric()),
        first => first.is_some_and(|letter| letter.is_ascii_alphabetic()),
    };
    if begins_well && !is_taken { name.to_owned() } else { format!("prompt_{}", name.trim_start_matches(['_', '-'])) }
}

/// Indexes of names that occur more than once, grouped.
fn duplicates(names: &[String]) -> Vec<Vec<usize>> {
    let mut indexes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        indexes.entry(name).or_default().push(index);
    }
    indexes.into_values().filter(|group| group.len() > 1).collect()
}

/// Appends numbers to names that are still equal, such as those of `a.lmt.mjs` and `a.lmt.ts`.
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

/// The file name without its extension, prefixed with its last `folders` folders.
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

/// Replaces everything but letters, digits, `_` and `-` by `_`.
fn clean(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' => name.push(letter),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    // Replacement characters at the ends are dropped.
    let is_kept = |end: Option<char>| end.is_some_and(|letter| letter == '_' || letter == '-');
    let name = if is_kept(text.chars().next()) { &name } else { name.trim_start_matches('_') };
    let name = if is_kept(text.chars().next_back()) { name } else { name.trim_end_matches('_') };
    name.to_owned()
}

/// Cuts long names and appends a hash (FNV-1a), which is stable across runs.
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
    fn equal_names_get_their_folders() {
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
