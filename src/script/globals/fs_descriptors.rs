//! Files that scripts hold open, by descriptor: `fs.open` and what works on its numbers.
//!
//! The numbers are the system's own, as in Node, so that a child process can be given one. Descriptor 0 is standard
//! input, which is read through the standard library's buffer like everywhere else; 1 and 2 never come here, the
//! JavaScript half hands what is written there to the printer.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Write},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

#[cfg(not(unix))]
use std::io::{Seek, SeekFrom};

use super::fs_attributes as attributes;
use super::fs_error::{FsError, FsResult};

/// The files that are open. Descriptors belong to the process, as those of the system do.
static OPEN_FILES: Mutex<BTreeMap<i32, Arc<File>>> = Mutex::new(BTreeMap::new());

/// Standard input.
const STDIN: i32 = 0;

fn open_files() -> MutexGuard<'static, BTreeMap<i32, Arc<File>>> {
    // The table is whole at any moment, also when a thread panicked.
    OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The open file of that number.
pub(crate) fn file(descriptor: i32) -> FsResult<Arc<File>> {
    let file = open_files().get(&descriptor).cloned();
    file.ok_or(FsError { code: "EBADF", number: 9, text: "bad file descriptor" })
}

/// A file without contents.
pub(super) const NOTHING: &str = if cfg!(unix) { "/dev/null" } else { "NUL" };

/// A descriptor of [`NOTHING`], opened once; one that is none where it cannot be had.
pub(super) fn nothing() -> i32 {
    static DESCRIPTOR: OnceLock<i32> = OnceLock::new();
    *DESCRIPTOR.get_or_init(|| open(NOTHING, 0, 0).unwrap_or(-1))
}

/// Whether opening a file with these flags lets it be read.
pub(super) fn may_read(flags: u32) -> bool {
    const WRITE_ONLY: u32 = 0o1;
    flags & 0o3 != WRITE_ONLY
}

/// Where the file of a descriptor is, as far as the system tells.
pub(super) fn path_of(descriptor: i32) -> String {
    format!("/dev/fd/{descriptor}")
}

/// Whether opening a file with these flags may make or change it, or lets it be changed.
pub(super) fn may_change(flags: u32) -> bool {
    const WRITES: u32 = 0o3;
    const MAKES: u32 = 0o100;
    const CUTS: u32 = 0o1000;
    flags & (WRITES | MAKES | CUTS) != 0
}

/// Opens a file with Node's flags (the numbers of Linux, see `fs/constants.js`).
pub(super) fn open_file(path: &str, flags: u32, mode: u32) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags};
        const BITS: [(u32, OFlags); 10] = [
            (0o1, OFlags::WRONLY),
            (0o2, OFlags::RDWR),
            (0o100, OFlags::CREATE),
            (0o200, OFlags::EXCL),
            (0o400, OFlags::NOCTTY),
            (0o1000, OFlags::TRUNC),
            (0o2000, OFlags::APPEND),
            (0o4000, OFlags::NONBLOCK),
            (0o200_000, OFlags::DIRECTORY),
            (0o400_000, OFlags::NOFOLLOW),
        ];
        let own =
            BITS.iter().filter(|(bit, _)| flags & bit == *bit).fold(OFlags::CLOEXEC, |all, (_, flag)| all | *flag);
        let mode = Mode::from_raw_mode(mode as _);
        Ok(File::from(rustix::fs::open(path, own, mode)?))
    }
    #[cfg(not(unix))]
    {
        let _ = mode;
        let (write, append) = (flags & 3 != 0, flags & 0o2000 != 0);
        let mut options = std::fs::OpenOptions::new();
        options.read(flags & 1 == 0).write(write && !append).append(append);
        options.truncate(flags & 0o1000 != 0);
        options.create(flags & 0o100 != 0).create_new(flags & 0o300 == 0o300);
        options.open(path)
    }
}

pub(super) fn open(path: &str, flags: u32, mode: u32) -> FsResult<i32> {
    let file = open_file(path, flags, mode)?;
    let mut files = open_files();
    #[cfg(unix)]
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    #[cfg(not(unix))]
    let number = files.keys().last().map_or(3, |last| last + 1);
    files.insert(number, Arc::new(file));
    Ok(number)
}

/// The system closes the file when the last operation on it is done.
pub(super) fn close(descriptor: i32) -> FsResult<()> {
    file(descriptor)?;
    open_files().remove(&descriptor);
    Ok(())
}

/// At most `length` bytes, from `position` or from where the last read ended; fewer before the end, none at it.
pub(super) fn read(descriptor: i32, length: usize, position: Option<u64>) -> FsResult<Vec<u8>> {
    let mut bytes = vec![0; length];
    let read = match (descriptor, position) {
        (STDIN, _) if file(STDIN).is_err() => io::stdin().lock().read(&mut bytes)?,
        (_, None) => (&*file(descriptor)?).read(&mut bytes)?,
        (_, Some(position)) => read_at(&*file(descriptor)?, &mut bytes, position)?,
    };
    bytes.truncate(read);
    Ok(bytes)
}

/// Everything from the current position on.
pub(super) fn read_all(descriptor: i32) -> FsResult<Vec<u8>> {
    let mut bytes = Vec::new();
    match descriptor {
        STDIN if file(STDIN).is_err() => io::stdin().lock().read_to_end(&mut bytes)?,
        _ => (&*file(descriptor)?).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

/// Writes at `position` or where the last write ended; gives how many bytes were taken.
pub(super) fn write(descriptor: i32, bytes: &[u8], position: Option<u64>) -> FsResult<usize> {
    let file = file(descriptor)?;
    Ok(match position {
        None => (&*file).write(bytes)?,
        Some(position) => write_at(&file, bytes, position)?,
    })
}

pub(super) fn write_all(descriptor: i32, bytes: &[u8]) -> FsResult<()> {
    Ok((&*file(descriptor)?).write_all(bytes)?)
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

pub(super) fn stat(descriptor: i32) -> FsResult<Vec<f64>> {
    #[cfg(unix)]
    if (STDIN..=2).contains(&descriptor) && file(descriptor).is_err() {
        // The standard streams are open though not by a script.
        return attributes::stat(&format!("/dev/fd/{descriptor}"), true);
    }
    Ok(attributes::stat_numbers(&file(descriptor)?.metadata()?))
}

pub(super) fn truncate(descriptor: i32, length: u64) -> FsResult<()> {
    Ok(file(descriptor)?.set_len(length)?)
}

/// Waits until the disk has everything; `data_only` leaves out what is not needed to read it again.
pub(super) fn sync(descriptor: i32, data_only: bool) -> FsResult<()> {
    let file = file(descriptor)?;
    if data_only {
        return Ok(file.sync_data()?);
    }
    Ok(file.sync_all()?)
}

pub(super) fn change_mode(descriptor: i32, mode: u32) -> FsResult<()> {
    let file = file(descriptor)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    #[cfg(not(unix))]
    let _ = (file, mode);
    Ok(())
}

pub(super) fn change_owner(descriptor: i32, user: u32, group: u32) -> FsResult<()> {
    let file = file(descriptor)?;
    #[cfg(unix)]
    std::os::unix::fs::fchown(&*file, Some(user), Some(group))?;
    #[cfg(not(unix))]
    let _ = (file, user, group);
    Ok(())
}

pub(super) fn set_times(descriptor: i32, accessed: f64, modified: f64) -> FsResult<()> {
    Ok(file(descriptor)?.set_times(attributes::file_times(accessed, modified)?)?)
}
