//! Resuming runs that another process began.

mod calls;
mod log;
mod restore;

pub(crate) use calls::{PartOfCall, call_hash, current_call, run_identity, run_part, stable_hash, within_call};
pub(crate) use log::{current_memory, has_log, open_log, skip_played};
pub(crate) use restore::{begin_set_up, end_agent_set_up, end_set_up, take_over_steps};
