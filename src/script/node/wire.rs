//! What a connection is made of, plain or encrypted.

use tokio::io::{AsyncRead, AsyncWrite};

/// A connection that bytes go through.
pub(super) trait Wire: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Wire for T {}
