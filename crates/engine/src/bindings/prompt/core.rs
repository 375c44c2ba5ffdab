//! The half of a prompt object that holds no JavaScript values.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use super::declared::DeclaredFunctions;
use crate::prompt::{AnswerShape, JobId, Prompt, Standing, Turns};
use lmthing_base::{checkpoint::PromptLog, event::Agent};
use lmthing_providers::MockModel;
use lmthing_typescript::sandbox::SandboxConfig;

#[derive(Default)]
pub struct Core {
    /// Never borrowed while JavaScript runs.
    pub prompt: RefCell<Prompt>,
    pub step: Cell<usize>,
    pub next_effect: Cell<usize>,
    pub answer: RefCell<Option<Rc<AnswerShape>>>,
    /// `None` until the prompt first runs.
    pub agent: RefCell<Option<Agent>>,
    pub mock: RefCell<Option<Rc<MockModel>>>,
    pub files: Cell<usize>,
    pub standing: Cell<Standing>,
    pub job: Cell<Option<JobId>>,
    pub depth: usize,
    /// Whether the task list was defined before, so that its tasks are in a state.
    pub has_task_list: Cell<bool>,
    /// Whether the state of the task graph was restored but not read yet.
    pub has_stored_task_graph: Cell<bool>,
    pub function_bytes: Cell<Option<usize>>,
    pub declared: RefCell<Vec<Rc<DeclaredFunctions>>>,
    pub sandbox: RefCell<Rc<SandboxConfig>>,
    pub mcp_servers: RefCell<Rc<serde_json::Map<String, serde_json::Value>>>,
    pub log: RefCell<Option<Rc<PromptLog>>>,
    /// The user, if the prompt is a conversation.
    pub turns: RefCell<Option<Rc<dyn Turns>>>,
    pub sandbox_warm: Cell<bool>,
}

impl Core {
    pub fn inherit_file(&self, outer: &Core) {
        self.mock.replace(outer.mock.borrow().clone());
        self.files.set(outer.files.get());
        self.standing.set(outer.standing.get());
        self.function_bytes.set(outer.function_bytes.get());
        self.mcp_servers.replace(outer.mcp_servers.borrow().clone());
    }
}
