//! The file that was most likely meant by a path that leads nowhere. Must not know what the file is for.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::closest;

/// Entries of a folder that are looked at: no slip is worth reading a huge one.
const MOST_ENTRIES: usize = 5_000;

/// `Did you mean 'examples/hello.lmt.mjs'?` for a path that is not there, when something like it is. `fits` says which files
/// may be meant.
pub(crate) fn did_you_mean(path: &Path, fits: fn(&Path) -> bool) -> Option<String> {
    near_path(path, fits).map(|near| format!("Did you mean '{}'?", near.display()))
}

/// Whether a file is called as JSON is.
pub(crate) fn ends_in_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}

/// The path with each part that is not there replaced by its likeliest neighbour.
fn near_path(path: &Path, fits: fn(&Path) -> bool) -> Option<PathBuf> {
    let mut near = PathBuf::new();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let next = near.join(part);
        if !matches!(part, Component::Normal(_)) || if is_last { next.exists() && fits(&next) } else { next.is_dir() } {
            near = next;
            continue;
        }
        let name = part.as_os_str().to_str()?;
        let names = names(&near, |entry| if is_last { fits(entry) } else { entry.is_dir() });
        let meant = closest(name, names.iter().map(String::as_str)).or_else(|| of_same_stem(name, &names, is_last))?;
        near.push(meant);
    }
    (near != path).then_some(near)
}

/// `hello` and `hello.mjs` for `hello.lmt.mjs`.
fn of_same_stem<'a>(name: &str, names: &'a [String], is_file: bool) -> Option<&'a str> {
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
    let is_same = |known: &&String| is_file && !stem(name).is_empty() && stem(known) == stem(name);
    names.iter().find(is_same).map(String::as_str)
}

/// The names in a folder, sorted.
fn names(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Vec<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let wanted = entries.filter(|entry| is_wanted(&entry.path()));
    let mut names: Vec<String> = wanted.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}
