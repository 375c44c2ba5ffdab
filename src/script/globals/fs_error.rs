//! Failed file operations in libuv's terms: code, number and words.

use std::io;

use crate::script::system_error::SystemError;

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
        let SystemError { code, number, text } = SystemError::of(&error);
        Self { code, number, text }
    }
}

pub(crate) type FsResult<T> = Result<T, FsError>;
