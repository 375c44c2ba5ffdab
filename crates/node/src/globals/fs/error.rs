use std::io;

use crate::system_error::SystemError;

/// A failed file operation as libuv reports it; JavaScript writes the message.
pub(super) struct FsError {
    /// Node's code, such as `ENOENT`.
    pub code: &'static str,
    /// The system's `errno`, 0 when there is none.
    pub number: i32,
    pub text: &'static str,
}

#[cfg(unix)]
impl From<rustix::io::Errno> for FsError {
    fn from(error: rustix::io::Errno) -> Self {
        io::Error::from(error).into()
    }
}

impl From<io::Error> for FsError {
    fn from(error: io::Error) -> Self {
        let SystemError { code, number, text } = SystemError::of(&error);
        Self { code, number, text }
    }
}

pub(super) type FsResult<T> = Result<T, FsError>;
