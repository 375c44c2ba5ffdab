//! Paths that stay what they were when they were checked. A restricted script, or a program that it has started, may put a link
//! in the place of a folder between the check and the operation; what is pinned leads to the folder that was checked.

use std::{fs::File, path::Path};

use super::{Access, Permissions, Refusal, paths, paths::Last};

/// A path for an operation of a restricted script.
#[derive(Debug)]
pub struct Pinned {
    /// The path to use, as long as this exists.
    pub path: String,
    _held: Option<File>,
}

impl Permissions {
    /// Pins a path that is about to be changed; `None` where nothing is restricted. With `is_followed`, a link at its end is.
    ///
    /// # Errors
    /// It leads elsewhere by now, where it may not be changed.
    pub fn pin(&self, path: &str, is_followed: bool) -> Result<Option<Pinned>, Refusal> {
        if self.of_restricted().is_none() {
            return Ok(None);
        }
        let last = if is_followed { Last::Followed } else { Last::Itself };
        let refused = || Refusal { message: format!("writing {path} is not allowed: the path leads nowhere") };
        let real = paths::real(Path::new(path), last).ok_or_else(refused)?;
        let pinned = held(&real, is_followed).unwrap_or_else(|| Held { path: real.clone(), real, file: None });
        // Where the held folder really is: the path may have changed since it was asked about.
        let at = pinned.real.display().to_string();
        self.check(if is_followed { Access::Write(&at) } else { Access::WriteEntry(&at) })?;
        Ok(Some(Pinned { path: pinned.path.display().to_string(), _held: pinned.file }))
    }
}

/// Whether a pinned path names an entry of a held folder, and not the held file itself.
pub fn is_entry(path: &str) -> bool {
    Path::new(path).strip_prefix(HELD).is_ok_and(|rest| rest.components().count() > 1)
}

const HELD: &str = "/proc/self/fd";

struct Held {
    /// The path to use.
    path: std::path::PathBuf,
    /// Where that really is.
    real: std::path::PathBuf,
    file: Option<File>,
}

/// Holds what a real path leads to: itself, if it is there and a link at its end is followed, else its folder. `None` when there
/// is no such folder, so that the operation fails, or where the system cannot do it.
#[cfg(target_os = "linux")]
fn held(real: &Path, is_followed: bool) -> Option<Held> {
    let hold = |path: &Path| {
        use rustix::fs::{Mode, OFlags};
        rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty()).ok().map(File::from)
    };
    let name_of = |file: &File| {
        use std::os::fd::AsRawFd;
        Path::new(HELD).join(file.as_raw_fd().to_string())
    };
    if is_followed
        && let Some(file) = hold(real)
        && !file.metadata().ok()?.is_symlink()
    {
        return Some(Held { path: name_of(&file), real: paths::of_open(&file)?, file: Some(file) });
    }
    let (folder, name) = (hold(real.parent()?)?, real.file_name()?);
    let is_folder = folder.metadata().ok()?.is_dir();
    let found = paths::of_open(&folder).filter(|_| is_folder)?;
    Some(Held { path: name_of(&folder).join(name), real: found.join(name), file: Some(folder) })
}

#[cfg(not(target_os = "linux"))]
fn held(_real: &Path, _is_followed: bool) -> Option<Held> {
    None
}
