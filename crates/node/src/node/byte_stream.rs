//! The stream below a connection.

use tokio::io::{AsyncRead, AsyncWrite};

/// A byte stream, plain or encrypted.
pub(super) trait ByteStream: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> ByteStream for T {}
