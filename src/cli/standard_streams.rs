//! Standard input and output as streams for a protocol; the printer then writes to standard error only.

use std::io;
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;

use tokio::fs::File;

/// For the event loop.
pub(super) fn standard_streams() -> io::Result<(File, File)> {
    let (read, write) = blocking_standard_streams()?;
    Ok((read.into(), write.into()))
}

pub(super) fn blocking_standard_streams() -> io::Result<(std::fs::File, std::fs::File)> {
    #[cfg(unix)]
    let (read, write) = (io::stdin().as_fd().try_clone_to_owned()?, io::stdout().as_fd().try_clone_to_owned()?);
    #[cfg(windows)]
    let (read, write) = (io::stdin().as_handle().try_clone_to_owned()?, io::stdout().as_handle().try_clone_to_owned()?);
    Ok((read.into(), write.into()))
}
