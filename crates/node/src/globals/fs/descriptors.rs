//! Files that scripts hold open, by descriptor: `fs.open` and the operations on its result.
//!
//! The numbers are the system's own, as in Node, so that a child process can inherit them. Descriptor 0 is read through
//! the standard library's buffer, like all other uses of standard input. JavaScript sends output for 1 and 2 to the
//! host.
//!
//! Files that a script leaves open are closed with its engine, as several engines can share a process.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::File,
    io::{self, Read, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

#[cfg(not(unix))]
use std::io::{Seek, SeekFrom};

use rquickjs::{Ctx, JsLifetime, Result};

use super::attributes;
use super::error::{FsError, FsResult};
use super::opener::Opener;
use crate::user_data;

const STDIN: i32 = 0;

/// A file without contents.
pub(super) const EMPTY_FILE: &str = if cfg!(unix) { "/dev/null" } else { "NUL" };

/// The files that the scripts of an engine hold open. Clones share the table.
#[derive(Clone, Default, JsLifetime)]
pub(super) struct OpenFiles(Arc<Mutex<BTreeMap<i32, Arc<File>>>>);

pub(crate) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, OpenFiles::default())
}

pub(super) fn open_files(ctx: &Ctx<'_>) -> Result<OpenFiles> {
    Ok(user_data::read::<OpenFiles>(ctx)?.clone())
}

/// The file that a script has opened under this number, for a child process.
pub(crate) fn opened(ctx: &Ctx<'_>, descriptor: i32) -> Option<Arc<File>> {
    open_files(ctx).ok()?.file(descriptor).ok()
}

/// The path of an open file, as far as the system reports it.
pub(super) fn path_of(descriptor: i32) -> String {
    format!("/dev/fd/{descriptor}")
}

impl OpenFiles {
    fn table(&self) -> MutexGuard<'_, BTreeMap<i32, Arc<File>>> {
        // No operation leaves the table inconsistent, so a panic elsewhere does not matter.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, descriptor: i32) -> FsResult<Arc<File>> {
        let file = self.table().get(&descriptor).cloned();
        file.ok_or(FsError { code: "EBADF", number: 9, text: "bad file descriptor" })
    }

    /// Makes standard input empty from now on.
    pub(super) fn empty_stdin(&self) -> io::Result<()> {
        let mut files = self.table();
        if let Entry::Vacant(place) = files.entry(STDIN) {
            place.insert(Arc::new(File::open(EMPTY_FILE)?));
        }
        Ok(())
    }

    pub(super) fn open(&self, opener: &Opener, path: &str, flags: u32, mode: u32) -> FsResult<i32> {
        let file = opener.open(path, flags, mode)?;
        let mut files = self.table();
        #[cfg(unix)]
        let number = std::os::fd::AsRawFd::as_raw_fd(&file);
        #[cfg(not(unix))]
        let number = files.keys().last().map_or(3, |last| last + 1);
        files.insert(number, Arc::new(file));
        Ok(number)
    }

    /// The system closes the file once its last operation is done.
    pub(super) fn close(&self, descriptor: i32) -> FsResult<()> {
        self.file(descriptor)?;
        self.table().remove(&descriptor);
        Ok(())
    }

    /// Reads up to `length` bytes at `position`, or at the current position. Fewer only before the end of the file.
    pub(super) fn read(&self, descriptor: i32, length: usize, position: Option<u64>) -> FsResult<Vec<u8>> {
        let mut bytes = vec![0; length];
        let read = match (descriptor, position) {
            (STDIN, _) if self.file(STDIN).is_err() => io::stdin().lock().read(&mut bytes)?,
            (_, None) => (&*self.file(descriptor)?).read(&mut bytes)?,
            (_, Some(position)) => read_at(&*self.file(descriptor)?, &mut bytes, position)?,
        };
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Reads from the current position to the end.
    pub(super) fn read_all(&self, descriptor: i32) -> FsResult<Vec<u8>> {
        let mut bytes = Vec::new();
        match descriptor {
            STDIN if self.file(STDIN).is_err() => io::stdin().lock().read_to_end(&mut bytes)?,
            _ => (&*self.file(descriptor)?).read_to_end(&mut bytes)?,
        };
        Ok(bytes)
    }

    /// Writes at `position`, or at the current position; returns the number of bytes written.
    pub(super) fn write(&self, descriptor: i32, bytes: &[u8], position: Option<u64>) -> FsResult<usize> {
        let file = self.file(descriptor)?;
        Ok(match position {
            None => (&*file).write(bytes)?,
            Some(position) => write_at(&file, bytes, position)?,
        })
    }

    pub(super) fn write_all(&self, descriptor: i32, bytes: &[u8]) -> FsResult<()> {
        Ok((&*self.file(descriptor)?).write_all(bytes)?)
    }

    pub(super) fn stat(&self, descriptor: i32) -> FsResult<Vec<f64>> {
        #[cfg(unix)]
        if (STDIN..=2).contains(&descriptor) && self.file(descriptor).is_err() {
            // The standard streams are open, but not in the table.
            return attributes::stat(&format!("/dev/fd/{descriptor}"), true);
        }
        Ok(attributes::stat_numbers(&self.file(descriptor)?.metadata()?))
    }

    pub(super) fn truncate(&self, descriptor: i32, length: u64) -> FsResult<()> {
        Ok(self.file(descriptor)?.set_len(length)?)
    }

    /// Waits until everything is on disk; `data_only` is `fdatasync`.
    pub(super) fn sync(&self, descriptor: i32, data_only: bool) -> FsResult<()> {
        let file = self.file(descriptor)?;
        if data_only {
            return Ok(file.sync_data()?);
        }
        Ok(file.sync_all()?)
    }

    pub(super) fn change_mode(&self, descriptor: i32, mode: u32) -> FsResult<()> {
        let file = self.file(descriptor)?;
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        #[cfg(not(unix))]
        let _ = (file, mode);
        Ok(())
    }

    pub(super) fn change_owner(&self, descriptor: i32, user: u32, group: u32) -> FsResult<()> {
        let file = self.file(descriptor)?;
        #[cfg(unix)]
        std::os::unix::fs::fchown(&*file, Some(user), Some(group))?;
        #[cfg(not(unix))]
        let _ = (file, user, group);
        Ok(())
    }

    pub(super) fn set_times(&self, descriptor: i32, accessed: f64, modified: f64) -> FsResult<()> {
        Ok(self.file(descriptor)?.set_times(attributes::file_times(accessed, modified)?)?)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, position)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, position)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], position: u64) -> io::Result<usize> {
    let before = file.stream_position()?;
    file.seek(SeekFrom::Start(position))?;
    let read = file.read(bytes);
    file.seek(SeekFrom::Start(before))?;
    read
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], position: u64) -> io::Result<usize> {
    let before = file.stream_position()?;
    file.seek(SeekFrom::Start(position))?;
    let written = file.write(bytes);
    file.seek(SeekFrom::Start(before))?;
    written
}
