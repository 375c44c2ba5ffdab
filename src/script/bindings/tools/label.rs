//! What messages and events call something that is run. Must not know how.

/// How error messages and events call what is run.
#[derive(Clone, Copy)]
pub(crate) struct Label<'a> {
    /// `tool`, `sub-tool`, `function`, …
    pub(crate) noun: &'static str,
    /// As the model called it.
    pub(crate) name: &'a str,
    /// The tool call that it answers; none when code called it.
    pub(crate) tool_call_id: Option<&'a str>,
}
