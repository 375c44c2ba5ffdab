//! What messages and events call something that is run. Must not know how.

use crate::event::AgentIdentity;

/// How error messages and events call what is run.
#[derive(Clone, Copy)]
pub(crate) struct Label<'a> {
    /// `tool`, `sub-tool`, `function`, …
    pub(crate) noun: &'static str,
    /// As the model called it.
    pub(crate) name: &'a str,
    /// The array form that it belongs to, which the model called by a name of its own.
    pub(crate) of: Option<&'a str>,
    /// The tool call that it answers; none when code called it.
    pub(crate) tool_call_id: Option<&'a str>,
    /// Its number among the parts of a call, when it is one: of what code calls, and of what an array form is asked for.
    pub(crate) part: Option<u64>,
}

impl<'a> Label<'a> {
    /// What an agent is told from others by that answers this.
    pub(crate) fn called(self) -> AgentIdentity<'a> {
        AgentIdentity { name: self.name, tool_call_id: self.tool_call_id, definition_hash: self.part }
    }
}
