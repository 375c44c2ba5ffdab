//! File operations of `node:fs` without JavaScript types. All of them block; the asynchronous versions run them on
//! tokio's blocking threads.

use std::{
    collections::VecDeque,
    fs::{self, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use super::error::{FsError, FsResult};
use super::opener::Opener;

pub(super) fn read_file(opener: &Opener, path: &str, flags: u32) -> FsResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = opener.open(path, flags, 0o666)?;
    if let Ok(metadata) = file.metadata() {
        bytes.reserve_exact(usize::try_from(metadata.len()).unwrap_or_default());
    }
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn write_file(opener: &Opener, path: &str, bytes: &[u8], flags: u32, mode: u32) -> FsResult<()> {
    Ok(opener.open(path, flags, mode)?.write_all(bytes)?)
}

/// `mode` is a sum of `R_OK` 4, `W_OK` 2 and `X_OK` 1, or 0 for existence.
pub(super) fn access(path: &str, mode: u32) -> FsResult<()> {
    #[cfg(unix)]
    rustix::fs::access(path, rustix::fs::Access::from_bits_truncate(mode)).map_err(io::Error::from)?;
    #[cfg(not(unix))]
    {
        let metadata = fs::metadata(path)?;
        if mode & 2 != 0 && metadata.permissions().readonly() {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
        }
    }
    Ok(())
}

/// Folder relative to the listed one (empty for itself), name, and `UV_DIRENT_*` number.
pub(super) type Entry = (String, String, u32);

/// Sorted by name; recursive: level by level, as in Node.
pub(super) fn read_directory(path: &str, recursive: bool) -> FsResult<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut directories = VecDeque::from([String::new()]);
    while let Some(parent) = directories.pop_front() {
        let mut level = fs::read_dir(Path::new(path).join(&parent))?
            .map(|entry| {
                let entry = entry?;
                Ok((entry.file_name().to_string_lossy().into_owned(), entry_kind(entry.file_type()?)))
            })
            .collect::<io::Result<Vec<_>>>()?;
        // The system's order differs between machines.
        level.sort();
        for (name, kind) in level {
            if recursive && kind == DIRECTORY {
                directories.push_back(if parent.is_empty() { name.clone() } else { format!("{parent}/{name}") });
            }
            entries.push((parent.clone(), name, kind));
        }
    }
    Ok(entries)
}

const DIRECTORY: u32 = 2;

fn entry_kind(kind: fs::FileType) -> u32 {
    if kind.is_file() {
        return 1;
    }
    if kind.is_dir() {
        return DIRECTORY;
    }
    if kind.is_symlink() {
        return 3;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return 4;
        }
        if kind.is_socket() {
            return 5;
        }
        if kind.is_char_device() {
            return 6;
        }
        if kind.is_block_device() {
            return 7;
        }
    }
    0
}

/// With `recursive`, returns the first directory created, and `None` if it exists.
pub(super) fn make_directory(path: &str, recursive: bool, mode: u32) -> FsResult<Option<String>> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
    if !recursive {
        builder.create(path)?;
        return Ok(None);
    }
    let path = Path::new(path);
    let parts = path.ancestors().filter(|part| !part.as_os_str().is_empty());
    let first = parts.take_while(|part| !part.exists()).last().map(Path::to_path_buf);
    if let Err(error) = builder.recursive(true).create(path) {
        // A file at the path itself is `EEXIST` in Node, a file in place of a parent `ENOTDIR`.
        return Err(if path.is_file() { io::Error::from(io::ErrorKind::AlreadyExists).into() } else { error.into() });
    }
    Ok(first.map(|path| path.to_string_lossy().into_owned()))
}

/// Directories only when `recursive`.
pub(super) fn remove(path: &str, recursive: bool, force: bool) -> FsResult<()> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if force && error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    match metadata.is_dir() {
        true if recursive => Ok(fs::remove_dir_all(path)?),
        true => Err(FsError { code: "ERR_FS_EISDIR", number: 21, text: "is a directory" }),
        false => Ok(fs::remove_file(path)?),
    }
}

pub(super) fn unlink(path: &str) -> FsResult<()> {
    Ok(fs::remove_file(path)?)
}

pub(super) fn remove_directory(path: &str) -> FsResult<()> {
    Ok(fs::remove_dir(path)?)
}

pub(super) fn rename(from: &str, to: &str) -> FsResult<()> {
    Ok(fs::rename(from, to)?)
}

/// `exclusive` is `COPYFILE_EXCL`.
pub(super) fn copy_file(opener: &Opener, from: &str, to: &str, exclusive: bool) -> FsResult<()> {
    // Creating the file is the check: of two concurrent copies, one fails.
    if exclusive {
        OpenOptions::new().write(true).create_new(true).open(to)?;
    }
    opener.copy(from, to)
}

/// Appends six random characters to the prefix.
pub(super) fn make_temporary_directory(prefix: &str) -> FsResult<String> {
    const CHARACTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    loop {
        let mut random = [0; 6];
        getrandom::fill(&mut random).map_err(|_| io::Error::from(io::ErrorKind::Other))?;
        // The modulo bias does not matter for a name.
        let suffix = random.map(|byte| char::from(CHARACTERS[usize::from(byte) % CHARACTERS.len()]));
        let path = format!("{prefix}{}", suffix.iter().collect::<String>());
        match make_directory(&path, false, 0o700) {
            // The name exists: try another.
            Err(error) if error.code == "EEXIST" => {}
            other => return other.map(|_| path),
        }
    }
}

pub(super) fn real_path(path: &str) -> FsResult<String> {
    Ok(text(fs::canonicalize(path)?))
}

pub(super) fn read_link(path: &str) -> FsResult<String> {
    Ok(text(fs::read_link(path)?))
}

fn text(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(unix)]
pub(super) fn symbolic_link(target: &str, path: &str) -> FsResult<()> {
    Ok(std::os::unix::fs::symlink(target, path)?)
}

#[cfg(not(unix))]
pub(super) fn symbolic_link(_target: &str, _path: &str) -> FsResult<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported).into())
}

pub(super) fn hard_link(existing: &str, path: &str) -> FsResult<()> {
    Ok(fs::hard_link(existing, path)?)
}
