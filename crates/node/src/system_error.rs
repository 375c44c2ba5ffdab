//! System errors as libuv and Node report them.

use std::io;

pub(crate) struct SystemError {
    /// Node's code, such as `ENOENT`, or `UNKNOWN`.
    pub code: &'static str,
    /// The system's `errno`, or 0.
    pub number: i32,
    pub text: &'static str,
}

impl SystemError {
    pub(crate) fn of(error: &io::Error) -> Self {
        let number = error.raw_os_error().unwrap_or_else(|| errno_of_kind(error.kind()));
        let (code, text) = by_number(number).unwrap_or_else(|| by_kind(error.kind()));
        SystemError { code, number, text }
    }
}

/// `errno` for errors created by the standard library.
fn errno_of_kind(kind: io::ErrorKind) -> i32 {
    match kind {
        io::ErrorKind::NotFound => 2,
        io::ErrorKind::PermissionDenied => 13,
        io::ErrorKind::AlreadyExists => 17,
        io::ErrorKind::NotADirectory => 20,
        io::ErrorKind::IsADirectory => 21,
        io::ErrorKind::InvalidInput => 22,
        io::ErrorKind::BrokenPipe => 32,
        io::ErrorKind::ConnectionReset => 104,
        io::ErrorKind::NotConnected => 107,
        io::ErrorKind::TimedOut => 110,
        io::ErrorKind::ConnectionRefused => 111,
        _ => 0,
    }
}

/// Errors that have no `io::ErrorKind` or share one.
#[cfg(unix)]
fn by_number(number: i32) -> Option<(&'static str, &'static str)> {
    Some(match number {
        libc::EPERM => ("EPERM", "operation not permitted"),
        libc::ESRCH => ("ESRCH", "no such process"),
        libc::EIO => ("EIO", "i/o error"),
        libc::ENXIO => ("ENXIO", "no such device or address"),
        libc::E2BIG => ("E2BIG", "argument list too long"),
        libc::ENOEXEC => ("ENOEXEC", "exec format error"),
        libc::EBADF => ("EBADF", "bad file descriptor"),
        libc::EAGAIN => ("EAGAIN", "resource temporarily unavailable"),
        libc::ENOMEM => ("ENOMEM", "not enough memory"),
        libc::ENODEV => ("ENODEV", "no such device"),
        libc::ENFILE => ("ENFILE", "file table overflow"),
        libc::EMFILE => ("EMFILE", "too many open files"),
        libc::ENOTTY => ("ENOTTY", "inappropriate ioctl for device"),
        libc::ELOOP => ("ELOOP", "too many symbolic links encountered"),
        _ => return None,
    })
}

#[cfg(not(unix))]
fn by_number(_: i32) -> Option<(&'static str, &'static str)> {
    None
}

fn by_kind(kind: io::ErrorKind) -> (&'static str, &'static str) {
    match kind {
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
        io::ErrorKind::BrokenPipe => ("EPIPE", "broken pipe"),
        io::ErrorKind::ConnectionRefused => ("ECONNREFUSED", "connection refused"),
        io::ErrorKind::ConnectionReset => ("ECONNRESET", "connection reset by peer"),
        io::ErrorKind::ConnectionAborted => ("ECONNABORTED", "software caused connection abort"),
        io::ErrorKind::NotConnected => ("ENOTCONN", "socket is not connected"),
        io::ErrorKind::TimedOut => ("ETIMEDOUT", "connection timed out"),
        io::ErrorKind::AddrInUse => ("EADDRINUSE", "address already in use"),
        io::ErrorKind::AddrNotAvailable => ("EADDRNOTAVAIL", "address not available"),
        io::ErrorKind::HostUnreachable => ("EHOSTUNREACH", "host is unreachable"),
        io::ErrorKind::NetworkUnreachable => ("ENETUNREACH", "network is unreachable"),
        _ => ("UNKNOWN", "unknown error"),
    }
}
