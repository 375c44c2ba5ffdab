//! File attributes: `stat`, owners, modes, times.

use std::{
    fs::{self, FileTimes},
    io,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::error::FsResult;
use super::opener::Opener;

/// Seconds since 1970, and the remaining nanoseconds.
fn seconds(time: SystemTime) -> [f64; 2] {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => [after.as_secs() as f64, f64::from(after.subsec_nanos())],
        Err(before) => {
            let before = before.duration().as_nanos() as f64;
            let whole = (before / 1e9).ceil();
            [-whole, whole * 1e9 - before]
        }
    }
}

/// The numbers of `fs.Stats`, in the order of its constructor: dev, mode, nlink, uid, gid, rdev, blksize, ino, size,
/// blocks, then seconds and nanoseconds of atime, mtime, ctime and birthtime.
pub(super) fn stat(path: &str, follow: bool) -> FsResult<Vec<f64>> {
    let metadata = if follow { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
    Ok(stat_numbers(&metadata))
}

#[cfg(unix)]
pub(super) fn stat_numbers(metadata: &fs::Metadata) -> Vec<f64> {
    use std::os::unix::fs::MetadataExt;
    let changed = [metadata.ctime() as f64, metadata.ctime_nsec() as f64];
    let mut numbers = vec![
        metadata.dev() as f64,
        f64::from(metadata.mode()),
        metadata.nlink() as f64,
        f64::from(metadata.uid()),
        f64::from(metadata.gid()),
        metadata.rdev() as f64,
        metadata.blksize() as f64,
        metadata.ino() as f64,
        metadata.size() as f64,
        metadata.blocks() as f64,
    ];
    numbers.extend([metadata.atime() as f64, metadata.atime_nsec() as f64]);
    numbers.extend([metadata.mtime() as f64, metadata.mtime_nsec() as f64]);
    numbers.extend(changed);
    numbers.extend(metadata.created().map_or(changed, seconds));
    numbers
}

#[cfg(not(unix))]
pub(super) fn stat_numbers(metadata: &fs::Metadata) -> Vec<f64> {
    let kind = if metadata.is_dir() {
        0o040_000
    } else if metadata.is_symlink() {
        0o120_000
    } else {
        0o100_000
    };
    let permissions = if metadata.permissions().readonly() { 0o444 } else { 0o666 };
    let modified = metadata.modified().map_or([0.0; 2], seconds);
    let mut numbers = vec![0.0, f64::from(kind | permissions), 1.0, 0.0, 0.0, 0.0, 4096.0, 0.0];
    numbers.extend([metadata.len() as f64, (metadata.len() as f64 / 512.0).ceil()]);
    numbers.extend(metadata.accessed().map_or(modified, seconds));
    numbers.extend(modified);
    numbers.extend(modified);
    numbers.extend(metadata.created().map_or(modified, seconds));
    numbers
}

/// The numbers of `fs.StatFs`: type, bsize, blocks, bfree, bavail, files, ffree.
#[cfg(unix)]
pub(super) fn file_system(path: &str) -> FsResult<Vec<f64>> {
    let kind = file_system_kind(path)?;
    let all = rustix::fs::statvfs(path)?;
    let counts = [all.f_bsize, all.f_blocks, all.f_bfree, all.f_bavail, all.f_files, all.f_ffree];
    Ok(std::iter::once(kind).chain(counts.map(|count| count as f64)).collect())
}

#[cfg(target_os = "linux")]
fn file_system_kind(path: &str) -> FsResult<f64> {
    Ok(rustix::fs::statfs(path)?.f_type as f64)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn file_system_kind(_path: &str) -> FsResult<f64> {
    Ok(0.0)
}

#[cfg(not(unix))]
pub(super) fn file_system(_path: &str) -> FsResult<Vec<f64>> {
    Err(io::Error::from(io::ErrorKind::Unsupported).into())
}

#[cfg(unix)]
pub(super) fn change_mode(path: &str, mode: u32) -> FsResult<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

#[cfg(not(unix))]
pub(super) fn change_mode(path: &str, mode: u32) -> FsResult<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    Ok(fs::set_permissions(path, permissions)?)
}

#[cfg(unix)]
pub(super) fn change_owner(path: &str, user: u32, group: u32, follow: bool) -> FsResult<()> {
    let change = if follow { std::os::unix::fs::chown } else { std::os::unix::fs::lchown };
    Ok(change(path, Some(user), Some(group))?)
}

#[cfg(not(unix))]
pub(super) fn change_owner(_path: &str, _user: u32, _group: u32, _follow: bool) -> FsResult<()> {
    // As in Node.
    Ok(())
}

/// Both in milliseconds since 1970.
pub(super) fn file_times(accessed: f64, modified: f64) -> io::Result<FileTimes> {
    let time = |milliseconds: f64| {
        // Far beyond any date, and within the range of `Duration`.
        let distance = Duration::from_secs_f64((milliseconds.abs() / 1e3).min(1e15));
        if milliseconds < 0.0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
    };
    Ok(FileTimes::new().set_accessed(time(accessed)?).set_modified(time(modified)?))
}

/// `follow` decides whether a link or its target is changed.
#[cfg(unix)]
pub(super) fn set_times(path: &str, accessed: f64, modified: f64, follow: bool) -> FsResult<()> {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};
    let time = |milliseconds: f64| Timespec {
        tv_sec: (milliseconds / 1e3).floor() as _,
        tv_nsec: ((milliseconds.rem_euclid(1e3)) * 1e6) as _,
    };
    let times = Timestamps { last_access: time(accessed), last_modification: time(modified) };
    let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    Ok(rustix::fs::utimensat(CWD, path, &times, flags)?)
}

#[cfg(not(unix))]
pub(super) fn set_times(path: &str, accessed: f64, modified: f64, _follow: bool) -> FsResult<()> {
    Ok(fs::OpenOptions::new().write(true).open(path)?.set_times(file_times(accessed, modified)?)?)
}

/// Cuts a file, or fills it up with zeros.
pub(super) fn truncate(opener: &Opener, path: &str, length: u64) -> FsResult<()> {
    const WRITES: u32 = 0o1;
    Ok(opener.open(path, WRITES, 0)?.set_len(length)?)
}
