//! Ends child processes, and ends this process with its parent.

mod child;
mod parent;

pub(crate) use child::{SIGTERM, end_process, send_signal};
pub(crate) use parent::{exit_with_parent, exit_with_parent_id};
