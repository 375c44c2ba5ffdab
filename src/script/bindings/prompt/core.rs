//! The half of a prompt object that holds no JavaScript values.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use super::declared::DeclaredFunctions;
use crate::{
    checkpoint::PromptLog,
    event::Agent,
    prompt::{AnswerShape, JobId, Prompt, Standing},
    provider::MockModel,
    sandbox::SandboxConfig,
};

#[derive(Default)]
pub(crate) struct Core {
    /// Never borrowed while JavaScript runs.
    pub(crate) prompt: RefCell<Prompt>,
    pub(crate) step: Cell<usize>,
    pub(crate) next_effect: Cell<usize>,
    pub(crate) answer: RefCell<Option<Rc<AnswerShape>>>,
    /// `None` until the prompt first runs.
    pub(crate) agent: RefCell<Option<Agent>>,
    /// The model for `'mock'`, if it differs from that of the main file.
    pub(crate) mock: RefCell<Option<Rc<MockModel>>>,
    pub(crate) files: Cell<usize>,
    pub(crate) standing: Cell<Standing>,
    /// The job that runs the prompt, when a script runs it itself.
    pub(crate) job: Cell<Option<JobId>>,
    pub(crate) depth: usize,
    /// The task list was defined before, so its tasks are in a state.
    pub(crate) has_task_list: Cell<bool>,
    /// The state of the task graph was restored, but the graph does not use it yet.
    pub(crate) has_stored_task_graph: Cell<bool>,
    pub(crate) function_bytes: Cell<Option<usize>>,
    pub(crate) declared: RefCell<Vec<Rc<DeclaredFunctions>>>,
    pub(crate) sandbox: RefCell<Rc<SandboxConfig>>,
    pub(crate) mcp_servers: RefCell<Rc<serde_json::Map<String, serde_json::Value>>>,
    /// Set where logs are kept.
    pub(crate) log: RefCell<Option<Rc<PromptLog>>>,
    pub(crate) sandbox_warm: Cell<bool>,
}

impl Core {
    pub(crate) fn inherit_file(&self, outer: &Core) {
        self.mock.replace(outer.mock.borrow().clone());
        self.files.set(outer.files.get());
        self.standing.set(outer.standing.get());
        self.function_bytes.set(outer.function_bytes.get());
        self.mcp_servers.replace(outer.mcp_servers.borrow().clone());
    }
}
