//! Resolves paths, also of missing files.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs::File,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

const MAX_LINKS: usize = 40;

/// How a link at the end of a path is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinalLink {
    Followed,
    /// The path is that of the link itself.
    Itself,
}

enum Step {
    Up,
    Name(OsString),
}

/// The path without links and dots; for a missing file, where it would be. `None` if it cannot be resolved.
pub(super) fn real(path: &Path, last: FinalLink) -> Option<PathBuf> {
    real_with_links(path, last).map(|(real, _)| real)
}

/// Like [`real`], with the paths of all followed links.
pub(super) fn real_with_links(path: &Path, last: FinalLink) -> Option<(PathBuf, Vec<PathBuf>)> {
    // The system ignores everything after a NUL byte.
    if path.as_os_str().is_empty() || path.as_os_str().as_encoded_bytes().contains(&0) {
        return None;
    }
    // A trailing slash or dot means the target of a link.
    let bytes = path.as_os_str().as_encoded_bytes();
    let last = if bytes.ends_with(b"/") || bytes.ends_with(b"/.") { FinalLink::Followed } else { last };
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
        if ahead.is_empty() && last == FinalLink::Itself {
            break;
        }
        let target = match std::fs::read_link(&real) {
            Ok(target) => target,
            // Not a link, not there, or a file in place of a folder.
            Err(error)
                if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                continue;
            }
            // The path is too long or unreadable, so its target is unknown.
            Err(_) => return None,
        };
        links.push(real.clone());
        if links.len() > MAX_LINKS {
            return None;
        }
        real.pop();
        let remaining = std::mem::take(&mut ahead);
        ahead = steps(&target, &mut real).chain(remaining).collect();
    }
    Some((real, links))
}

/// The steps of a path; an absolute one resets `real` to its root.
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

/// The current path of an open file, where the system provides it.
pub(super) fn path_of_open(file: &File) -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::{fd::AsRawFd, unix::ffi::OsStrExt};
        let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
        // The kernel appends this to the path of a removed file. A file without a folder has no path.
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

/// The path for messages: absolute, and without `..` if that does not change its meaning.
pub(super) fn shown(path: &Path) -> PathBuf {
    let Ok(absolute) = std::path::absolute(path) else { return path.to_owned() };
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    if real(&plain, FinalLink::Itself) == real(&absolute, FinalLink::Itself) { plain } else { absolute }
}

/// Whether a path exposes the memory or environment of a process.
pub(super) fn exposes_process(real: &Path) -> bool {
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
    fn links_and_dots_are_followed_also_for_missing_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        link("d", "to-d");
        link("../elsewhere/file", "to-nothing");
        link("loop", "loop");
        let at = |path: &str, last| real(&root.join(path), last);
        assert_eq!(at("to-d/../d/./x", FinalLink::Followed), Some(root.join("d/x")));
        let above = root.parent().unwrap();
        assert_eq!(at("to-nothing", FinalLink::Followed), Some(above.join("elsewhere/file")));
        assert_eq!(at("to-nothing", FinalLink::Itself), Some(root.join("to-nothing")));
        // `..` after a link is relative to its target, as in the kernel.
        assert_eq!(at("to-d/../../x", FinalLink::Followed), Some(above.join("x")));
        assert_eq!((at("loop", FinalLink::Followed), real(Path::new("a\0b"), FinalLink::Followed)), (None, None));
        assert!(exposes_process(Path::new("/proc/12/task/12/environ")));
        assert!(!exposes_process(Path::new("/proc/cpuinfo")) && !exposes_process(Path::new("/a/proc/1/environ")));
    }
}
