//! Runs that another process may go on with, or has begun: what is kept of them, and what was kept is put back. Must not know where
//! runs are kept, nor how steps go on.
//!
//! - `log` – the log of a prompt's run, and what is appended to it
//! - `remember` – what a prompt remembers, for its log
//! - `calls` – calls that are known again in another process, and parts of them that were done there
//! - `take_up` – setting a prompt up whose run began in another process

mod calls;
mod log;
mod remember;
mod take_up;

pub(crate) use calls::{PartOfCall, asked, current_call, hash, made_of, part, within_call};
pub(crate) use log::{is_kept, open_log};
pub(crate) use remember::remembered;
pub(crate) use take_up::{begin, end, end_of_agent, take_over};
