//! Where a path leads, whether there is something or not. Must not know what is allowed there.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs::File,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

/// So many links are followed, as by the system.
const MAX_LINKS: usize = 40;

/// What of a link at the end of a path is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// What it leads to.
    Followed,
    /// The link itself.
    Itself,
}

/// A step of a path that is still to be taken.
enum Step {
    Up,
    Name(OsString),
}

/// The path without links and dots; of what is not there, where it would be. `None` when it has no end.
pub(super) fn real(path: &Path, last: Last) -> Option<PathBuf> {
    real_with_links(path, last).map(|(real, _)| real)
}

/// The same, with the paths of all links that were followed.
pub(super) fn real_with_links(path: &Path, last: Last) -> Option<(PathBuf, Vec<PathBuf>)> {
    // The system reads nothing behind it.
    if path.as_os_str().is_empty() || path.as_os_str().as_encoded_bytes().contains(&0) {
        return None;
    }
    // With a slash or a dot behind it, a link is what it leads to.
    let bytes = path.as_os_str().as_encoded_bytes();
    let last = if bytes.ends_with(b"/") || bytes.ends_with(b"/.") { Last::Followed } else { last };
    let mut real = if path.is_absolute() { PathBuf::new() } else { std::env::current_dir().ok()? };
    let mut ahead: VecDeque<Step> = steps(path, &mut real).collect();
    let mut links = Vec::new();
    while let Some(step) = ahead.pop_front() {
        let name = match step {
            Step::Up => {
                real.pop();
                continue;
            }
            Step::Name(name) => name,
        };
        real.push(name);
        if ahead.is_empty() && last == Last::Itself {
            break;
        }
        let target = match std::fs::read_link(&real) {
            Ok(target) => target,
            // No link, nothing there, or a file where a folder would have to be.
            Err(error)
                if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                continue;
            }
            // Too long a path, or one that may not be looked at: where it leads is not known.
            Err(_) => return None,
        };
        links.push(real.clone());
        if links.len() > MAX_LINKS {
            return None;
        }
        real.pop();
        let behind = std::mem::take(&mut ahead);
        ahead = steps(&target, &mut real).chain(behind).collect();
    }
    Some((real, links))
}

/// The steps of a path; one that is absolute begins anew.
fn steps<'a>(path: &'a Path, real: &mut PathBuf) -> impl Iterator<Item = Step> + 'a {
    if path.is_absolute() {
        real.clear();
        real.extend(path.components().take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir)));
    }
    path.components().filter_map(|part| match part {
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Name(name.to_owned())),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    })
}

/// Where an open file is, as far as the system tells.
pub(super) fn of_open(file: &File) -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::{fd::AsRawFd, unix::ffi::OsStrExt};
        let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
        // Of a file that is removed by now the system says so behind the name. What is in no folder has no path.
        let bytes = path.as_os_str().as_bytes();
        let bytes = bytes.strip_suffix(b" (deleted)").unwrap_or(bytes);
        bytes.starts_with(b"/").then(|| std::ffi::OsStr::from_bytes(bytes).into())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

/// The path as it would be typed: absolute, and without `..` where that leads to the same.
pub(super) fn shown(path: &Path) -> PathBuf {
    let Ok(absolute) = std::path::absolute(path) else { return path.to_owned() };
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    if real(&plain, Last::Itself) == real(&absolute, Last::Itself) { plain } else { absolute }
}

/// Whether a path leads to what the system tells of processes, their environment among it.
pub(super) fn tells_of_processes(real: &Path) -> bool {
    let Ok(rest) = real.strip_prefix("/proc") else { return false };
    let first = rest.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let is_process =
        |name: &str| ["self", "thread-self"].contains(&name) || name.bytes().all(|byte| byte.is_ascii_digit());
    first.is_some_and(|name| is_process(&name))
        && ["environ", "mem", "auxv"].iter().any(|secret| rest.file_name().is_some_and(|name| name == *secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_and_dots_are_followed_also_where_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        link("d", "to-d");
        link("../elsewhere/file", "to-nothing");
        link("loop", "loop");
        let at = |path: &str, last| real(&root.join(path), last);
        assert_eq!(at("to-d/../d/./x", Last::Followed), Some(root.join("d/x")));
        let above = root.parent().unwrap();
        assert_eq!(at("to-nothing", Last::Followed), Some(above.join("elsewhere/file")));
        assert_eq!(at("to-nothing", Last::Itself), Some(root.join("to-nothing")));
        // As the system: up from where a link leads.
        assert_eq!(at("to-d/../../x", Last::Followed), Some(above.join("x")));
        assert_eq!((at("loop", Last::Followed), real(Path::new("a\0b"), Last::Followed)), (None, None));
        assert!(tells_of_processes(Path::new("/proc/12/task/12/environ")));
        assert!(!tells_of_processes(Path::new("/proc/cpuinfo")) && !tells_of_processes(Path::new("/a/proc/1/environ")));
    }
}
