//! Sends frames to the host.

use std::io;

use crate::sandbox::protocol::{FromWorker, write_frame};

pub(super) fn emit(frame: &FromWorker) -> io::Result<()> {
    write_frame(&mut io::stdout().lock(), frame)
}
