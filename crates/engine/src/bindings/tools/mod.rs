//! `defTool`: defining tools and running their calls. Agents, functions and methods use the same parts.

pub mod approval;
pub mod call;
pub mod content;
pub mod define;
pub mod end_signal;
pub mod execution;
pub mod warnings;

use lmthing_base::event::AgentIdentity;

#[derive(Clone, Copy)]
pub struct Label<'a> {
    pub noun: &'static str,
    pub name: &'a str,
    /// The name of the array form that it belongs to.
    pub of: Option<&'a str>,
    /// `None` when code made the call.
    pub tool_call_id: Option<&'a str>,
    /// Its number, for a call by code or in an array form.
    pub part: Option<u64>,
}

impl<'a> Label<'a> {
    pub fn called(self) -> AgentIdentity<'a> {
        AgentIdentity { name: self.name, tool_call_id: self.tool_call_id, definition_hash: self.part }
    }
}
