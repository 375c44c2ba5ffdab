//! The file operations behind `node:fs`, free of JavaScript: plain arguments in, plain values or an [`FsError`] out.
//! All of them block; the asynchronous faces run them on tokio's blocking threads.

use std::{
    collections::VecDeque,
    fs::{self, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A failed operation, with what Node's error carries: the words are made by the JavaScript half.
pub(super) struct FsError {
    /// Node's code, such as `ENOENT`.
    pub(super) code: &'static str,
    /// The system's number, 0 when there is none.
    pub(super) number: i32,
    /// What Node (libuv) says for the code.
    pub(super) text: &'static str,
}

impl From<io::Error> for FsError {
    fn from(error: io::Error) -> Self {
        let number = error.raw_os_error().unwrap_or_default();
        let (code, text) = describe(&error, number);
        Self { code, number, text }
    }
}

/// libuv's code and words for an error of the system.
fn describe(error: &io::Error, number: i32) -> (&'static str, &'static str) {
    #[cfg(unix)]
    match number {
        libc::EPERM => return ("EPERM", "operation not permitted"),
        libc::ELOOP => return ("ELOOP", "too many symbolic links encountered"),
        libc::EMFILE => return ("EMFILE", "too many open files"),
        libc::ENFILE => return ("ENFILE", "file table overflow"),
        libc::ENODEV => return ("ENODEV", "no such device"),
        libc::ENXIO => return ("ENXIO", "no such device or address"),
        libc::EIO => return ("EIO", "i/o error"),
        libc::EBADF => return ("EBADF", "bad file descriptor"),
        _ => {}
    }
    match error.kind() {
        io::ErrorKind::NotFound => ("ENOENT", "no such file or directory"),
        io::ErrorKind::PermissionDenied => ("EACCES", "permission denied"),
        io::ErrorKind::AlreadyExists => ("EEXIST", "file already exists"),
        io::ErrorKind::NotADirectory => ("ENOTDIR", "not a directory"),
        io::ErrorKind::IsADirectory => ("EISDIR", "illegal operation on a directory"),
        io::ErrorKind::DirectoryNotEmpty => ("ENOTEMPTY", "directory not empty"),
        io::ErrorKind::InvalidInput => ("EINVAL", "invalid argument"),
        io::ErrorKind::InvalidFilename => ("ENAMETOOLONG", "name too long"),
        io::ErrorKind::CrossesDevices => ("EXDEV", "cross-device link not permitted"),
        io::ErrorKind::ReadOnlyFilesystem => ("EROFS", "read-only file system"),
        io::ErrorKind::StorageFull => ("ENOSPC", "no space left on device"),
        io::ErrorKind::QuotaExceeded => ("EDQUOT", "disk quota exceeded"),
        io::ErrorKind::FileTooLarge => ("EFBIG", "file too large"),
        io::ErrorKind::ResourceBusy => ("EBUSY", "resource busy or locked"),
        io::ErrorKind::ExecutableFileBusy => ("ETXTBSY", "text file is busy"),
        io::ErrorKind::TooManyLinks => ("EMLINK", "too many links"),
        io::ErrorKind::Unsupported => ("ENOTSUP", "operation not supported on socket"),
        _ => ("UNKNOWN", "unknown error"),
    }
}

pub(super) type FsResult<T> = Result<T, FsError>;

/// Reads a whole file. The path `0` given as a descriptor (the JavaScript half passes `None`) is standard input.
pub(super) fn read_file(path: Option<String>) -> FsResult<Vec<u8>> {
    match path {
        Some(path) => Ok(fs::read(path)?),
        None => {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes)?;
            Ok(bytes)
        }
    }
}

/// Writes a whole file. `flag` is one of Node's: `w`, `wx`, `a`, `ax`, `r+`, `w+`, `a+`, …
pub(super) fn write_file(path: &str, bytes: &[u8], flag: &str, mode: u32) -> FsResult<()> {
    let mut options = OpenOptions::new();
    let exclusive = flag.contains('x');
    if flag.starts_with('a') {
        options.append(true);
    } else {
        options.write(true).truncate(flag.starts_with('w') && !exclusive);
    }
    if exclusive {
        options.create_new(true);
    } else {
        options.create(!flag.starts_with('r'));
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    Ok(())
}

fn milliseconds(time: SystemTime) -> f64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as f64 / 1e6,
        Err(before) => -(before.duration().as_nanos() as f64 / 1e6),
    }
}

/// The numbers of `fs.Stats`, in the order of its constructor: dev, mode, nlink, uid, gid, rdev, blksize, ino, size,
/// blocks, then atime, mtime, ctime and birthtime in milliseconds.
pub(super) fn stat(path: &str, follow: bool) -> FsResult<Vec<f64>> {
    let metadata = if follow { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
    Ok(stat_numbers(&metadata))
}

#[cfg(unix)]
fn stat_numbers(metadata: &fs::Metadata) -> Vec<f64> {
    use std::os::unix::fs::MetadataExt;
    let time = |seconds: i64, nanoseconds: i64| seconds as f64 * 1e3 + nanoseconds as f64 / 1e6;
    let changed = time(metadata.ctime(), metadata.ctime_nsec());
    vec![
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
        time(metadata.atime(), metadata.atime_nsec()),
        time(metadata.mtime(), metadata.mtime_nsec()),
        changed,
        metadata.created().map_or(changed, milliseconds),
    ]
}

#[cfg(not(unix))]
fn stat_numbers(metadata: &fs::Metadata) -> Vec<f64> {
    let kind = if metadata.is_dir() {
        0o040_000
    } else if metadata.is_symlink() {
        0o120_000
    } else {
        0o100_000
    };
    let permissions = if metadata.permissions().readonly() { 0o444 } else { 0o666 };
    let modified = metadata.modified().map_or(0.0, milliseconds);
    let mut numbers = vec![0.0, f64::from(kind | permissions), 1.0, 0.0, 0.0, 0.0, 4096.0, 0.0];
    numbers.extend([metadata.len() as f64, (metadata.len() as f64 / 512.0).ceil()]);
    numbers.extend([metadata.accessed().map_or(modified, milliseconds), modified, modified]);
    numbers.push(metadata.created().map_or(modified, milliseconds));
    numbers
}

/// Checks access; `mode` is a sum of `R_OK` 4, `W_OK` 2 and `X_OK` 1, or 0 for existence.
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

/// One entry: the directory below the one asked for (empty for itself), the name, and Node's `UV_DIRENT_*` number.
pub(super) type Entry = (String, String, u32);

/// The entries of a directory, sorted by name; recursive: level by level, as Node lists them.
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
        // Systems list in any order; a script should see the same one everywhere.
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

/// `UV_DIRENT_DIR`.
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

/// Makes a directory. Recursive: gives the first one that had to be made, and is content when it exists.
pub(super) fn make_directory(path: &str, recursive: bool, mode: u32) -> FsResult<Option<String>> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
    if !recursive {
        builder.create(path)?;
        return Ok(None);
    }
    let absolute = std::path::absolute(path)?;
    let first = absolute.ancestors().take_while(|ancestor| !ancestor.exists()).last().map(Path::to_path_buf);
    if let Err(error) = builder.recursive(true).create(&absolute) {
        // A file in the place of the directory is `EEXIST` for Node; of a parent, `ENOTDIR`.
        return Err(if absolute.is_file() {
            io::Error::from(io::ErrorKind::AlreadyExists).into()
        } else {
            error.into()
        });
    }
    Ok(first.map(|path| path.to_string_lossy().into_owned()))
}

/// `fs.rm`: files always, directories only when recursive.
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

/// `fs.copyFile`; `exclusive` is `COPYFILE_EXCL`.
pub(super) fn copy_file(from: &str, to: &str, exclusive: bool) -> FsResult<()> {
    // Making the file is the check: of two that try, one fails.
    if exclusive {
        OpenOptions::new().write(true).create_new(true).open(to)?;
    }
    fs::copy(from, to)?;
    Ok(())
}

/// `fs.cp`: a file, or with `recursive` a whole directory. Without `force` what is there already stays, or is an error
/// when `error_on_exist` says so.
pub(super) fn copy_tree(from: &str, to: &str, recursive: bool, force: bool, error_on_exist: bool) -> FsResult<()> {
    copy_entry(Path::new(from), Path::new(to), recursive, force, error_on_exist)
}

fn copy_entry(from: &Path, to: &Path, recursive: bool, force: bool, error_on_exist: bool) -> FsResult<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_dir() {
        if !recursive {
            return Err(FsError { code: "ERR_FS_EISDIR", number: 21, text: "is a directory" });
        }
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_entry(&entry.path(), &to.join(entry.file_name()), recursive, force, error_on_exist)?;
        }
        return Ok(());
    }
    if !force && to.symlink_metadata().is_ok() {
        return if error_on_exist { Err(io::Error::from(io::ErrorKind::AlreadyExists).into()) } else { Ok(()) };
    }
    // A link stays a link, whether it leads anywhere or not.
    if metadata.is_symlink() {
        return symbolic_link(&text(fs::read_link(from)?), &text(to.to_path_buf()));
    }
    fs::copy(from, to)?;
    Ok(())
}

/// `fs.mkdtemp`: the prefix and six random characters.
pub(super) fn make_temporary_directory(prefix: &str) -> FsResult<String> {
    const CHARACTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    loop {
        let mut random = [0; 6];
        getrandom::fill(&mut random).map_err(|_| io::Error::from(io::ErrorKind::Other))?;
        // The remainder favours some letters a little; a name needs no even distribution.
        let suffix = random.map(|byte| char::from(CHARACTERS[usize::from(byte) % CHARACTERS.len()]));
        let path = format!("{prefix}{}", suffix.iter().collect::<String>());
        match make_directory(&path, false, 0o700) {
            // Taken: try another name.
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

/// Sets access and modification time, both in milliseconds since 1970.
pub(super) fn set_times(path: &str, accessed: f64, modified: f64) -> FsResult<()> {
    let time = |milliseconds: f64| {
        // The limit is far beyond any date, and within what a duration can be made of.
        let distance = Duration::from_secs_f64((milliseconds.abs() / 1e3).min(1e15));
        if milliseconds < 0.0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
    };
    let times = fs::FileTimes::new().set_accessed(time(accessed)?).set_modified(time(modified)?);
    Ok(fs::File::open(path)?.set_times(times)?)
}

/// `fs.truncate`: cuts or fills up with zeros.
pub(super) fn truncate(path: &str, length: u64) -> FsResult<()> {
    Ok(OpenOptions::new().write(true).open(path)?.set_len(length)?)
}
