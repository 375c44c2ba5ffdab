//! Processes of ours that work for one another: ending one that we have started, and ending with the one that has started us.
//!
//! Must not know: what a process does, nor how it is started and talked to.

mod child;
mod parent;

pub(crate) use child::{TERMINATE, ask_to_end, end};
pub(crate) use parent::{end_with, end_with_parent};
