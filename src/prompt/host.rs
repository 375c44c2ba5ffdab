//! The seam between the step loop and the language a prompt is written in. Knows neither side.

use std::{cell::RefCell, rc::Rc, time::Instant};

use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::{
    active::ActiveSet,
    answer::AnswerCheck,
    definitions::Prompt,
    error::RunError,
    plan::{StepModifications, StepPlan},
    record::RunRecord,
};
use crate::{
    chat::{AgentRun, CallSettings, Step, ToolCall, ToolInput, ToolOutput, ToolSpec},
    checkpoint::{Memory, PromptLog},
    provider::LanguageModel,
};

/// What a tool call came to.
#[derive(Clone, Debug)]
pub(crate) struct ToolAnswer {
    /// The arguments after validation, for `result.toolResults` and `lastTool`.
    pub input: ToolInput,
    /// What the model is sent.
    pub output: ToolOutput,
    /// The children that worked on it, when agents answered.
    pub agents: Vec<AgentRun>,
}

impl ToolAnswer {
    /// An answer that no agent worked on.
    pub(crate) fn new(input: ToolInput, output: ToolOutput) -> Self {
        ToolAnswer { input, output, agents: Vec::new() }
    }

    /// A failure, which is an answer as well: the model reads it and goes on.
    pub(crate) fn failed(call: &ToolCall, message: impl Into<String>) -> Self {
        ToolAnswer::new(call.input.clone(), ToolOutput::error(message))
    }

    /// The same answer, with the agents that worked on it.
    #[must_use]
    pub(crate) fn by_agents(self, agents: Vec<AgentRun>) -> Self {
        ToolAnswer { agents, ..self }
    }
}

/// What the code of a `<run_code>` block came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MethodAnswer {
    /// It ran; `None` when it returned nothing.
    Value(Option<Value>),
    /// It was refused or threw; the message is for the model.
    Error(String),
}

/// Settings of a run from `config.options`, as plain data.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunSettings {
    /// What goes to the model with every request.
    pub call: Rc<CallSettings>,
    /// `options.system`: plain text at the top of the system prompt.
    pub system: Option<String>,
    /// `options.activeTools`: the only tools the model is told of.
    pub active_tools: Option<Vec<String>>,
    /// How many steps a run may take; 1000 unless set.
    pub max_steps: Option<usize>,
    /// How often the model is asked again after an answer that does not have its shape.
    pub output_retries: Option<usize>,
}

/// What a prompt's place in the whole run means to its requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// It works for a model of the script's own that is answering: whose turn ends only after its requests.
    pub is_within_answer: bool,
    /// Of its file, or of one that runs this, when the program was not started with that.
    pub prices: Option<PriceList>,
}

/// The prices of a file that is run from code, by the number that the limits of the run know them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PriceList(pub usize);

/// What the step loop needs from the language a prompt is written in.
///
/// One host is one prompt: the main one or an agent's child. All methods are called from one thread; the loop never
/// holds a borrow of [`PromptHost::prompt`] across an await.
pub(crate) trait PromptHost {
    /// The definitions and the conversation.
    fn prompt(&self) -> &RefCell<Prompt>;

    /// Where the run is written down.
    fn record(&self) -> &RunRecord;

    /// The model that answers.
    fn model(&self) -> Rc<dyn LanguageModel + '_>;

    /// What its place in the whole run means to its requests.
    fn standing(&self) -> Standing;

    /// The settings of the run.
    fn settings(&self) -> RunSettings;

    /// Where what is done is kept, when it is.
    fn log(&self) -> Option<&Rc<PromptLog>>;

    /// What the prompt remembers, beside the conversation, for its log. Tells of states that cannot be stored.
    fn memory(&self) -> Result<Memory, RunError>;

    /// Whether a call of this tool may be made again when nobody knows whether it was made (`options.repeat`).
    fn may_repeat(&self, tool_name: &str) -> bool;

    /// Whether a tool does its work itself. What agents and code of the model's have done is in logs of their own, and in parts
    /// of their calls.
    fn works_itself(&self, tool_name: &str) -> bool;

    /// Runs the prompt function again with the current state. A prompt without one (a child) does nothing and
    /// keeps its definitions.
    fn rerun(&self) -> LocalBoxFuture<'_, Result<(), RunError>>;

    /// Runs the effects that are due before step `step` and returns what they asked for.
    fn run_effects(&self, step: usize) -> LocalBoxFuture<'_, Result<StepModifications, RunError>>;

    /// System sections that plugins show on the step that is being prepared.
    fn plugin_sections(&self, active: &ActiveSet) -> Result<Vec<(String, String)>, RunError>;

    /// The named tools as the model is told of them.
    fn tool_specs(&self, names: &[String]) -> Result<Vec<ToolSpec>, RunError>;

    /// Keeps what the next step would tell the model of the named tools, for whoever looks at the request later. Called in
    /// place of [`PromptHost::tool_specs`] when the model reads no requests: converting schemas for nobody is dear.
    fn keep_tools(&self, names: &[String]) -> Result<(), RunError>;

    /// Runs the code of one `<run_code>` block; it reaches the methods that are active in `plan`.
    fn run_method_code<'a>(&'a self, code: &'a str, plan: &'a StepPlan) -> LocalBoxFuture<'a, MethodAnswer>;

    /// Answers one call of a tool that is active. Failures are answers (`{error: message}`), not errors.
    fn call_tool<'a>(&'a self, call: &'a ToolCall, plan: &'a StepPlan) -> LocalBoxFuture<'a, ToolAnswer>;

    /// Says whether the run waits for answers of tools and for nothing else.
    fn waits_for_tools(&self, waits: bool);

    /// Tells the author of a call that was answered with an error because it leads nowhere, which nobody else would say.
    fn call_refused(&self, message: &str);

    /// Calls `onStepFinish`, then asks `stopWhen`; `true` ends the run.
    fn step_finished<'a>(&'a self, step: &'a Rc<Step>) -> LocalBoxFuture<'a, Result<bool, RunError>>;

    /// Checks the answer of a step that would be the last, when it is to have a shape. `may_ask` says whether the model can be
    /// asked again.
    fn check_answer<'a>(
        &'a self,
        step: &'a Rc<Step>,
        may_ask: bool,
    ) -> LocalBoxFuture<'a, Result<AnswerCheck, RunError>>;

    /// Runs the effects' clean-ups and, when the run was not broken off, `onFinish`.
    fn run_finished(&self, failed: bool) -> LocalBoxFuture<'_, Result<(), RunError>>;

    /// Whether `options.abortSignal` is aborted by now.
    fn is_aborted(&self) -> bool;

    /// Resolves when `options.abortSignal` is aborted; never without one.
    fn aborted(&self) -> LocalBoxFuture<'_, ()>;
}

/// Puts a step together once its effects have run: its settings, and what is active on it. A first render that asks nobody goes
/// this way too, so that it shows what a run would send.
///
/// # Errors
/// What a plugin's section throws.
pub(crate) fn plan_step(
    host: &dyn PromptHost,
    modifications: StepModifications,
) -> Result<(RunSettings, StepPlan), RunError> {
    let settings = host.settings();
    let only = [modifications.tools.as_deref(), settings.active_tools.as_deref()];
    let active = host.prompt().borrow_mut().activate(&only);
    let sections = host.plugin_sections(&active)?;
    let system = settings.system.as_deref();
    let plan = host.prompt().borrow_mut().prepare_step(active, system, &sections, modifications);
    Ok((settings, plan))
}

/// The limits of a whole run, with all its prompts, as the prompt file and its tools meet them. `session` has the
/// implementation.
pub(crate) trait RunLimits {
    /// Sets what `config.limits` and `config.prices` say beside what was typed. Returns what the author should be told.
    ///
    /// # Errors
    /// A value that is no limit, a table that is no price table.
    fn configure(&self, limits: &Value, prices: &Value) -> Result<Vec<String>, RunError>;

    /// Takes in the prices of a file that is run from code, to come after those of the file that runs it, `outer`.
    ///
    /// # Errors
    /// What is wrong with the table.
    fn add_prices(&self, prices: &Value, outer: Option<PriceList>) -> Result<PriceList, String>;

    /// Whether anything is set that may end the run.
    fn may_end(&self) -> bool;

    /// When the limit on time is reached; never while its clock stands still.
    fn deadline(&self) -> Option<Instant>;

    /// Stops the clock of the limit on time: a person is asked. It goes on when it was let go as often as it was stopped.
    fn stop_clock(&self) {}

    /// Lets the clock go on.
    fn let_clock_go(&self) {}

    /// Ends the whole run, as a limit does: what failed must not be taken for an answer of a tool.
    fn fail(&self, error: RunError);

    /// Why the run has to end, once a limit is reached.
    fn ended(&self) -> Option<Rc<RunError>>;

    /// Resolves when a limit is reached.
    fn reached(&self) -> LocalBoxFuture<'_, ()>;
}

/// Drives a prompt from its first step to its end. `session` has the implementation; `script` starts runs through it.
pub(crate) trait StepLoop {
    /// Begins a run, which is under way from this call on, and runs to the end when the answer is awaited; the record of
    /// the host says how it went.
    fn run<'a>(self: Rc<Self>, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()>;
}
