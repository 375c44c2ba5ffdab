//! Names of the system's errors, as Node has them in `code`.

use std::io;

/// The name and the number of an error of the system: `("ENOENT", 2)`.
pub(super) fn name_and_number(error: &io::Error) -> (&'static str, i32) {
    let number = error.raw_os_error().unwrap_or_default();
    (name(error, number), number)
}

fn name(error: &io::Error, number: i32) -> &'static str {
    #[cfg(unix)]
    match number {
        libc::EPERM => return "EPERM",
        libc::ESRCH => return "ESRCH",
        libc::E2BIG => return "E2BIG",
        libc::ENOEXEC => return "ENOEXEC",
        libc::EBADF => return "EBADF",
        libc::EAGAIN => return "EAGAIN",
        libc::ENOMEM => return "ENOMEM",
        libc::EMFILE => return "EMFILE",
        libc::ENFILE => return "ENFILE",
        libc::EIO => return "EIO",
        libc::ENOTTY => return "ENOTTY",
        libc::ELOOP => return "ELOOP",
        _ => {}
    }
    match error.kind() {
        io::ErrorKind::NotFound => "ENOENT",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::NotADirectory => "ENOTDIR",
        io::ErrorKind::IsADirectory => "EISDIR",
        io::ErrorKind::InvalidInput => "EINVAL",
        io::ErrorKind::InvalidFilename => "ENAMETOOLONG",
        io::ErrorKind::ExecutableFileBusy => "ETXTBSY",
        io::ErrorKind::BrokenPipe => "EPIPE",
        io::ErrorKind::ConnectionReset => "ECONNRESET",
        _ => "UNKNOWN",
    }
}
