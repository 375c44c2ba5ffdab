//! The half of a prompt object that holds no JavaScript values.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use super::declared::Declared;
use crate::{
    checkpoint::PromptLog,
    event::Agent,
    prompt::{AnswerShape, JobId, Prompt, Standing},
    provider::MockModel,
    sandbox::SandboxConfig,
};

/// The engine-free half of a prompt and its place in a run.
#[derive(Default)]
pub(crate) struct Core {
    /// What was defined, and the conversation; never borrowed while JavaScript runs.
    pub(crate) prompt: RefCell<Prompt>,
    /// The step being prepared or under way.
    pub(crate) step: Cell<usize>,
    /// The next effect's place in call order.
    pub(crate) next_effect: Cell<usize>,
    /// The shape of the answer, if it has one.
    pub(crate) answer: RefCell<Option<Rc<AnswerShape>>>,
    /// Who the prompt is in its run; unknown until it first runs.
    pub(crate) agent: RefCell<Option<Agent>>,
    /// What `'mock'` means to it, when that is not what it means to the file that the program was started with.
    pub(crate) mock: RefCell<Option<Rc<MockModel>>>,
    /// How many files this prompt's is nested in: files run files.
    pub(crate) files: Cell<usize>,
    /// What that, and who asked for it, means to its requests.
    pub(crate) standing: Cell<Standing>,
    /// The job that its run is part of, when the script runs it by hand.
    pub(crate) job: Cell<Option<JobId>>,
    /// How many agents this prompt is nested in.
    pub(crate) depth: usize,
    /// The task list was defined before: its tasks live in a state by now.
    pub(crate) has_task_list: Cell<bool>,
    /// The state of the task graph was put back, and the graph has not been read from it.
    pub(crate) has_stored_task_graph: Cell<bool>,
    /// `config.functions.promptBytes`, if it is set.
    pub(crate) function_bytes: Cell<Option<usize>>,
    /// Functions that were shown last, with their declarations.
    pub(crate) declared: RefCell<Vec<Rc<Declared>>>,
    /// The limits of model-written code, from `config.sandbox`.
    pub(crate) sandbox: RefCell<Rc<SandboxConfig>>,
    /// The servers of `config.mcpServers`, by name.
    pub(crate) mcp_servers: RefCell<Rc<serde_json::Map<String, serde_json::Value>>>,
    /// Where its run is kept, when it is.
    pub(crate) log: RefCell<Option<Rc<PromptLog>>>,
    /// A worker was asked for ahead of need; once is enough.
    pub(crate) sandbox_warm: Cell<bool>,
}

impl Core {
    /// Belongs to the same file as another prompt.
    pub(crate) fn belong_to(&self, outer: &Core) {
        self.mock.replace(outer.mock.borrow().clone());
        self.files.set(outer.files.get());
        self.standing.set(outer.standing.get());
        self.function_bytes.set(outer.function_bytes.get());
        self.mcp_servers.replace(outer.mcp_servers.borrow().clone());
    }
}
