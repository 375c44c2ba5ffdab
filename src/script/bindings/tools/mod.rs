//! `defTool`: what a tool is made of, and answering its calls.

pub(crate) mod call;
pub(crate) mod define;
pub(crate) mod execution;
