//! Keeps the folder of a checked path open until the operation is done: a restricted script, or a program that it started, may
//! replace a folder by a link between the check and the operation.

use std::{
    fs::File,
    io::{self, ErrorKind},
    path::Path,
};

use super::{Access, AccessDenied, Permissions, paths, paths::FinalLink};

#[derive(Debug)]
pub struct PinnedPath {
    /// The path to use, as long as this exists.
    pub path: String,
    _opened: Option<File>,
}

impl Permissions {
    /// Pins a path that is about to be changed; `None` if nothing is restricted. With `is_followed`, a link at its end is followed.
    ///
    /// # Errors
    /// The path now leads to a place that may not be changed.
    pub fn pin(&self, path: &str, is_followed: bool) -> Result<Option<PinnedPath>, AccessDenied> {
        if self.restricted_rights().is_none() {
            return Ok(None);
        }
        let last = if is_followed { FinalLink::Followed } else { FinalLink::Itself };
        let refused =
            || AccessDenied { message: format!("writing {path} is not allowed: the path cannot be resolved") };
        let real = paths::real(Path::new(path), last).ok_or_else(refused)?;
        let opened = match open_folder(&real, is_followed) {
            Ok(opened) => opened,
            // The operation then fails with the same error, even if the folder is created meanwhile.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Some(PinnedPath { path: format!("{OPEN_FILES}/missing"), _opened: None }));
            }
            Err(_) => return Err(refused()),
        };
        // The open folder may not be the one that was checked.
        let at = opened.real.display().to_string();
        self.check(if is_followed { Access::Write(&at) } else { Access::WriteEntry(&at) })?;
        Ok(Some(PinnedPath { path: opened.path.display().to_string(), _opened: opened.file }))
    }
}

/// Whether a pinned path names an entry of an open folder, and not the open file itself.
pub fn is_pinned_entry(path: &str) -> bool {
    Path::new(path).strip_prefix(OPEN_FILES).is_ok_and(|rest| rest.components().count() > 1)
}

const OPEN_FILES: &str = "/proc/self/fd";

struct OpenFolder {
    path: std::path::PathBuf,
    /// The real path of the same file.
    real: std::path::PathBuf,
    file: Option<File>,
}

/// Opens the file at a real path if it exists and links are followed, otherwise its folder.
#[cfg(target_os = "linux")]
fn open_folder(real: &Path, is_followed: bool) -> io::Result<OpenFolder> {
    use rustix::fs::{Mode, OFlags};
    use std::os::fd::AsRawFd;
    let open = |path: &Path| -> io::Result<File> {
        Ok(rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty())?.into())
    };
    let name_of = |file: &File| Path::new(OPEN_FILES).join(file.as_raw_fd().to_string());
    let place_of = |file: &File| paths::path_of_open(file).ok_or(ErrorKind::Unsupported);
    if is_followed {
        match open(real) {
            Ok(file) if !file.metadata()?.is_symlink() => {
                return Ok(OpenFolder { path: name_of(&file), real: place_of(&file)?, file: Some(file) });
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
    Ok(OpenFolder { path: name_of(&folder).join(name), real: place_of(&folder)?.join(name), file: Some(folder) })
}

/// Other systems cannot pin a path; it is absolute and without links.
#[cfg(not(target_os = "linux"))]
fn open_folder(real: &Path, _is_followed: bool) -> io::Result<OpenFolder> {
    Ok(OpenFolder { path: real.to_owned(), real: real.to_owned(), file: None })
}
