//! `defTool`: defining tools and running their calls. Agents, functions and methods use the same parts.

pub(crate) mod approval;
pub(crate) mod call;
pub(crate) mod content;
pub(crate) mod define;
pub(crate) mod end_signal;
pub(crate) mod execution;
pub(crate) mod provider;
pub(crate) mod warnings;

use lmthing_base::event::AgentIdentity;

#[derive(Clone, Copy)]
pub(crate) struct Label<'a> {
    pub noun: &'static str,
    pub name: &'a str,
    /// The name of the array form that the call belongs to.
    pub of: Option<&'a str>,
    /// `None` when code made the call.
    pub tool_call_id: Option<&'a str>,
    /// The index within the code or array form.
    pub part: Option<u64>,
}

impl<'a> Label<'a> {
    pub(crate) fn called(self) -> AgentIdentity<'a> {
        AgentIdentity { name: self.name, tool_call_id: self.tool_call_id, definition_hash: self.part }
    }
}
