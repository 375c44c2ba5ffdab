//! Failed file operations in libuv's terms: code, number and words.

use std::io;

/// A failed operation, with what Node's error carries: the words are made by the JavaScript half.
pub(crate) struct FsError {
    /// Node's code, such as `ENOENT`.
    pub(crate) code: &'static str,
    /// The system's number, 0 when there is none.
    pub(crate) number: i32,
    /// What Node (libuv) says for the code.
    pub(crate) text: &'static str,
}

#[cfg(unix)]
impl From<rustix::io::Errno> for FsError {
    fn from(error: rustix::io::Errno) -> Self {
        io::Error::from(error).into()
    }
}

impl From<io::Error> for FsError {
    fn from(error: io::Error) -> Self {
        let number = error.raw_os_error().unwrap_or_else(|| usual_number(error.kind()));
        let (code, text) = describe(&error, number);
        Self { code, number, text }
    }
}

/// The system's number for what the standard library found wrong itself.
fn usual_number(kind: io::ErrorKind) -> i32 {
    match kind {
        io::ErrorKind::NotFound => 2,
        io::ErrorKind::PermissionDenied => 13,
        io::ErrorKind::AlreadyExists => 17,
        io::ErrorKind::NotADirectory => 20,
        io::ErrorKind::IsADirectory => 21,
        io::ErrorKind::InvalidInput => 22,
        _ => 0,
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

pub(crate) type FsResult<T> = Result<T, FsError>;
