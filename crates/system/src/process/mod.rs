//! Ends child processes, and ends this process with its parent.

mod child;
mod parent;

pub use child::{SIGTERM, end_process, send_signal};
pub use parent::{PARENT_VARIABLE, exit_with_parent, exit_with_parent_id, exit_with_parent_of_variable};
