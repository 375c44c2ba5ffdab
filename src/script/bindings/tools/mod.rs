//! `defTool`: what a tool is made of, and answering its calls. Agents, functions and methods are made and called with
//! the same; must not know them.

pub(crate) mod approval;
pub(crate) mod call;
pub(crate) mod content;
pub(crate) mod define;
pub(crate) mod end_signal;
pub(crate) mod execution;
mod label;
pub(crate) mod unseen;
