//! Who of a run an event belongs to.

use std::{cell::Cell, rc::Rc};

/// A run within a run: the file itself, an agent, a prompt that the script runs by hand. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Agent(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    path: Vec<Rc<str>>,
    number: u64,
    tool_call_id: Option<String>,
    key: String,
    /// The step that it is at, once it has begun one.
    step: Cell<Option<usize>>,
}

/// What tells one agent from another: who it works for, at what, and under which name.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// What it is called in its path.
    pub name: &'a str,
    /// The tool call that it answers, when it answers one.
    pub tool_call_id: Option<&'a str>,
    /// What else tells it from others of its name that do the same work again in another process: what it is made of.
    pub made_of: Option<u64>,
}

impl Agent {
    /// The file's own prompt.
    pub fn root() -> Self {
        Agent(Rc::new(Inner {
            path: Vec::new(),
            number: 0,
            tool_call_id: None,
            key: String::new(),
            step: Cell::default(),
        }))
    }

    /// One that works for this one. `number` and `key` tell it from others of the same name.
    pub(super) fn child(&self, called: Called<'_>, number: u64, key: String) -> Self {
        let path = self.0.path.iter().cloned().chain([called.name.into()]).collect();
        let tool_call_id = called.tool_call_id.map(str::to_owned);
        Agent(Rc::new(Inner { path, number, tool_call_id, key, step: Cell::default() }))
    }

    /// What the keys of those begin with that work for it in this way at this step.
    pub(super) fn key_of_child(&self, called: Called<'_>) -> String {
        let step = self.0.step.get().map_or_else(|| "-".to_owned(), |step| step.to_string());
        let Called { name, tool_call_id, made_of } = called;
        let id = tool_call_id.map(|id| format!("@{id}")).unwrap_or_default();
        let made_of = made_of.map(|hash| format!("~{hash:016x}")).unwrap_or_default();
        format!("{}/{step}:{name}{id}{made_of}", self.0.key)
    }

    /// Names its run within the whole run, the same when that goes on in another process. Empty for the file's own prompt.
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// The step it is at, from 0; none before the first.
    pub fn step(&self) -> Option<usize> {
        self.0.step.get()
    }

    /// Notes the step that it is at: said with the event of the step, and by whoever goes on with a run.
    pub fn set_step(&self, step: Option<usize>) {
        self.0.step.set(step);
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
