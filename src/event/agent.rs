//! Who of a run an event belongs to.

use std::rc::Rc;

/// A run within a run: the file itself, an agent, a prompt that the script runs by hand. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Agent(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    path: Vec<Rc<str>>,
    number: u64,
    tool_call_id: Option<String>,
}

impl Agent {
    /// The file's own prompt.
    pub fn root() -> Self {
        Agent(Rc::new(Inner { path: Vec::new(), number: 0, tool_call_id: None }))
    }

    /// One that works for this one. `number` tells it from others of the same name.
    pub(super) fn child(&self, name: &str, number: u64, tool_call_id: Option<&str>) -> Self {
        let path = self.0.path.iter().cloned().chain([name.into()]).collect();
        Agent(Rc::new(Inner { path, number, tool_call_id: tool_call_id.map(str::to_owned) }))
    }

    /// Whether it is the file's own prompt.
    pub fn is_root(&self) -> bool {
        self.0.path.is_empty()
    }

    /// The names from the outermost agent to this one; none for the file's own prompt.
    pub fn path(&self) -> &[Rc<str>] {
        &self.0.path
    }

    /// Its own name, empty for the file's own prompt.
    pub fn name(&self) -> &str {
        self.0.path.last().map_or("", |name| name)
    }

    /// Counts the agents of a run from 1; 0 is the file's own prompt. Two calls of one agent have the same path.
    pub fn number(&self) -> u64 {
        self.0.number
    }

    /// The tool call that it answers, when it answers one.
    pub fn tool_call_id(&self) -> Option<&str> {
        self.0.tool_call_id.as_deref()
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}
