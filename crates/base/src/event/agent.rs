//! The agents that events belong to.

use std::{cell::Cell, rc::Rc};

/// A run within a run: the file itself, an agent, a prompt that the script runs by hand. Clones are the same agent.
#[derive(Clone, Debug)]
pub struct Agent(Rc<AgentData>);

#[derive(Debug)]
struct AgentData {
    path: Vec<Rc<str>>,
    number: u64,
    parent: u64,
    tool_call_id: Option<String>,
    key: String,
    step: Cell<Option<usize>>,
}

/// What distinguishes an agent from its siblings.
#[derive(Clone, Copy, Debug)]
pub struct AgentIdentity<'a> {
    pub name: &'a str,
    pub tool_call_id: Option<&'a str>,
    /// A hash of its definition, which distinguishes agents of one name when another process repeats the same work.
    pub definition_hash: Option<u64>,
}

impl Agent {
    pub fn root() -> Self {
        Agent(Rc::new(AgentData {
            path: Vec::new(),
            number: 0,
            parent: 0,
            tool_call_id: None,
            key: String::new(),
            step: Cell::default(),
        }))
    }

    pub(super) fn child(&self, called: AgentIdentity<'_>, number: u64, key: String) -> Self {
        let path = self.0.path.iter().cloned().chain([called.name.into()]).collect();
        let tool_call_id = called.tool_call_id.map(str::to_owned);
        Agent(Rc::new(AgentData { path, number, parent: self.0.number, tool_call_id, key, step: Cell::default() }))
    }

    /// The prefix of the keys of children with this identity at the current step.
    pub(super) fn child_key_prefix(&self, called: AgentIdentity<'_>) -> String {
        let step = self.0.step.get().map_or_else(|| "-".to_owned(), |step| step.to_string());
        let AgentIdentity { name, tool_call_id, definition_hash } = called;
        let id = tool_call_id.map(|id| format!("@{id}")).unwrap_or_default();
        let definition_hash = definition_hash.map(|hash| format!("~{hash:016x}")).unwrap_or_default();
        format!("{}/{step}:{name}{id}{definition_hash}", self.0.key)
    }

    /// Identifies its run within the whole run, also when another process resumes that. Empty for the file's own prompt.
    pub fn key(&self) -> &str {
        &self.0.key
    }

    pub fn step(&self) -> Option<usize> {
        self.0.step.get()
    }

    /// Sets the current step. The event of a step's start does so, and a resumed run.
    pub fn set_step(&self, step: Option<usize>) {
        self.0.step.set(step);
    }

    pub fn is_root(&self) -> bool {
        self.0.path.is_empty()
    }

    /// The names from the outermost agent to this one; empty for the file's own prompt.
    pub fn path(&self) -> &[Rc<str>] {
        &self.0.path
    }

    pub fn name(&self) -> &str {
        self.0.path.last().map_or("", |name| name)
    }

    /// Counts the agents of a run from 1; 0 is the file's own prompt. Two calls of one agent have the same path.
    pub fn number(&self) -> u64 {
        self.0.number
    }

    /// The number of the agent that it works for.
    pub fn parent(&self) -> u64 {
        self.0.parent
    }

    pub fn tool_call_id(&self) -> Option<&str> {
        self.0.tool_call_id.as_deref()
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}
