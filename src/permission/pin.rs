//! Holds the folder of a checked path open until the operation is done: a restricted script, or a program that it has started,
//! may replace a folder by a link between the check and the operation.

use std::{
    fs::File,
    io::{self, ErrorKind},
    path::Path,
};

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
        let refused = || Refusal { message: format!("writing {path} is not allowed: the path cannot be resolved") };
        let real = paths::real(Path::new(path), last).ok_or_else(refused)?;
        let held = match held(&real, is_followed) {
            Ok(held) => held,
            // The operation fails with the same error, also if the folder is created before it is done.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Some(Pinned { path: format!("{HELD}/missing"), _held: None }));
            }
            Err(_) => return Err(refused()),
        };
        // The held folder may not be the one that was checked.
        let at = held.real.display().to_string();
        self.check(if is_followed { Access::Write(&at) } else { Access::WriteEntry(&at) })?;
        Ok(Some(Pinned { path: held.path.display().to_string(), _held: held.file }))
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

/// Opens the file at a real path, if it exists and links are followed, else its folder.
///
/// # Errors
/// The folder does not exist, or cannot be opened.
#[cfg(target_os = "linux")]
fn held(real: &Path, is_followed: bool) -> io::Result<Held> {
    use rustix::fs::{Mode, OFlags};
    use std::os::fd::AsRawFd;
    let open = |path: &Path| -> io::Result<File> {
        Ok(rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty())?.into())
    };
    let name_of = |file: &File| Path::new(HELD).join(file.as_raw_fd().to_string());
    let place_of = |file: &File| paths::of_open(file).ok_or(ErrorKind::Unsupported);
    if is_followed {
        match open(real) {
            Ok(file) if !file.metadata()?.is_symlink() => {
                return Ok(Held { path: name_of(&file), real: place_of(&file)?, file: Some(file) });
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
    let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else { return Err(ErrorKind::NotFound.into()) };
    let folder = open(folder)?;
    if !folder.metadata()?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    Ok(Held { path: name_of(&folder).join(name), real: place_of(&folder)?.join(name), file: Some(folder) })
}

/// Elsewhere a path is not held; it is absolute and without links.
#[cfg(not(target_os = "linux"))]
fn held(real: &Path, _is_followed: bool) -> io::Result<Held> {
    Ok(Held { path: real.to_owned(), real: real.to_owned(), file: None })
}
