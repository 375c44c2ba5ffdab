//! The interface between the step loop and the language a prompt is written in.

use std::{cell::RefCell, rc::Rc, time::Instant};

use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::{
    active::ActiveSet,
    definitions::Prompt,
    error::RunError,
    plan::{StepModifications, StepPlan},
    record::RunRecord,
    turns::{TurnPrompt, Turns},
};
use lmthing_base::{
    answer::AnswerCheck,
    chat::{AgentRun, CallSettings, Step, ToolCall, ToolInput, ToolOutput, ToolSpec},
    checkpoint::{Memory, PromptLog, StoredFuture},
    cost::InvalidPrices,
    diagnostic::Diagnostic,
};
use lmthing_providers::{LanguageModel, ModelIdentity};

#[derive(Clone, Debug)]
pub struct ToolAnswer {
    /// The arguments after validation, for `result.toolResults` and `lastTool`.
    pub input: ToolInput,
    pub output: ToolOutput,
    pub agents: Vec<AgentRun>,
}

impl ToolAnswer {
    pub fn new(input: ToolInput, output: ToolOutput) -> Self {
        ToolAnswer { input, output, agents: Vec::new() }
    }

    /// A failure is a result as well, which the model reads.
    pub fn failed(call: &ToolCall, message: impl Into<String>) -> Self {
        ToolAnswer::new(call.input.clone(), ToolOutput::error(message))
    }

    #[must_use]
    pub fn by_agents(self, agents: Vec<AgentRun>) -> Self {
        ToolAnswer { agents, ..self }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum MethodAnswer {
    /// The returned value; `None` for `undefined`.
    Value(Option<Value>),
    /// The message for the model: the code was refused or threw.
    Error(String),
}

#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    pub call: Rc<CallSettings>,
    /// `options.system`: plain text at the start of the system prompt.
    pub system: Option<String>,
    pub active_tools: Option<Vec<String>>,
    pub max_steps: Option<usize>,
    /// How often the request is repeated after an answer that does not match `output`.
    pub output_retries: Option<usize>,
}

/// How a prompt relates to the whole run, as far as it affects its requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// Runs for a model written in JavaScript that is answering a request. That request holds its permit until then.
    pub is_within_answer: bool,
    /// The prices of its file or of a file that runs it, unless that is the main file.
    pub prices: Option<PriceList>,
}

/// Prices of a file that is run from code, by their index in the limits of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceList(pub usize);

/// What the step loop needs from the language a prompt is written in.
///
/// A host is one prompt: the main one or an agent. All methods are called from one thread; the loop never holds a
/// borrow of [`PromptHost::prompt`] across an await.
pub trait PromptHost: TurnPrompt {
    fn prompt(&self) -> &RefCell<Prompt>;

    fn record(&self) -> &RunRecord;

    fn model(&self) -> Rc<dyn LanguageModel + '_>;

    fn standing(&self) -> Standing;

    fn settings(&self) -> RunSettings;

    /// The user of the conversation that the prompt is.
    fn turns(&self) -> Option<Rc<dyn Turns>>;

    /// A turn of the user begins: what counts for one answer starts again.
    fn begin_turn(&self);

    /// The answer of a turn is accepted: emits its output, if the prompt has one.
    fn turn_answered(&self) -> Result<(), RunError>;

    /// Aborts the signals of the calls that are under way.
    fn interrupt_calls(&self);

    /// `None` without a journal.
    fn log(&self) -> Option<&Rc<PromptLog>>;

    /// The state of the prompt besides the conversation, for its log. Warns of values that cannot be stored.
    fn memory(&self) -> Result<Memory, RunError>;

    /// Awaits a write to the log. Meanwhile the script does not count as waiting for nothing.
    fn while_storing(&self, stored: StoredFuture<'static>) -> StoredFuture<'_>;

    /// Whether a call of this tool may be repeated if it is unknown whether it was made (`options.repeat`).
    fn may_repeat(&self, tool_name: &str) -> bool;

    /// Whether the tool does its work itself. Agents and model-written code log their work separately.
    fn is_plain_tool(&self, tool_name: &str) -> bool;

    /// Runs the prompt function again with the current state. Does nothing for an agent, which keeps its definitions.
    fn rerun(&self) -> LocalBoxFuture<'_, Result<(), RunError>>;

    fn run_effects(&self, step: usize) -> LocalBoxFuture<'_, Result<StepModifications, RunError>>;

    /// The system sections that plugins add to the step being prepared.
    fn plugin_sections(&self, active: &ActiveSet) -> Result<Vec<(String, String)>, RunError>;

    fn tool_specs(&self, names: &[String]) -> Result<Vec<ToolSpec>, RunError>;

    /// Called instead of [`PromptHost::tool_specs`] if the model reads no requests: keeps the tools for a later
    /// conversion of their schemas, which is expensive.
    fn keep_tools(&self, names: &[String]) -> Result<(), RunError>;

    fn run_method_code<'a>(&'a self, code: &'a str, plan: &'a StepPlan) -> LocalBoxFuture<'a, MethodAnswer>;

    /// Runs one call of an active tool. Failures are results (`{error: message}`), not errors.
    fn call_tool<'a>(&'a self, call: &'a ToolCall, plan: &'a StepPlan) -> LocalBoxFuture<'a, ToolAnswer>;

    /// Reports whether the run only waits for tool results.
    fn set_waiting_for_tools(&self, waits: bool);

    /// Warns the author of a call that was refused, which is not reported elsewhere.
    fn report_refused_call(&self, message: &str);

    /// Calls `onStepFinish`, then `stopWhen`; `true` ends the run.
    fn step_finished<'a>(&'a self, step: &'a Rc<Step>) -> LocalBoxFuture<'a, Result<bool, RunError>>;

    /// Checks the answer of a step that would be the last, if `output` is set. `may_ask` says whether the request can
    /// be repeated.
    fn check_answer<'a>(
        &'a self,
        step: &'a Rc<Step>,
        may_ask: bool,
    ) -> LocalBoxFuture<'a, Result<AnswerCheck, RunError>>;

    /// Runs the clean-ups of the effects and, unless the run failed, `onFinish`.
    fn run_finished(&self, failed: bool) -> LocalBoxFuture<'_, Result<(), RunError>>;

    fn is_aborted(&self) -> bool;

    /// Resolves when `options.abortSignal` is aborted.
    fn aborted(&self) -> LocalBoxFuture<'_, ()>;
}

/// Prepares a step after its effects have run. A first render without a model uses this too, to show what a run would
/// send.
pub fn plan_step(host: &dyn PromptHost, modifications: StepModifications) -> Result<(RunSettings, StepPlan), RunError> {
    let settings = host.settings();
    let only = [modifications.tools.as_deref(), settings.active_tools.as_deref()];
    let active = host.prompt().borrow_mut().activate(&only);
    let sections = host.plugin_sections(&active)?;
    let system = settings.system.as_deref();
    let plan = host.prompt().borrow_mut().prepare_step(active, system, &sections, modifications);
    Ok((settings, plan))
}

/// The limits of a whole run with all its prompts. Implemented in `session`.
pub trait RunLimits {
    /// Adds `config.limits` and `config.prices` to the limits of the command line.
    fn configure(&self, limits: &Value, prices: &Value) -> Result<(), RunError>;

    /// Adds the prices of a file that is run from code; those of the file `outer` that runs it take precedence.
    fn add_prices(&self, prices: &Value, outer: Option<PriceList>) -> Result<PriceList, InvalidPrices>;

    /// Whether there is a limit on cost.
    fn has_cost(&self) -> bool {
        false
    }

    /// Fails if the price of one of these models is not known.
    fn check_prices(&self, _models: &[ModelIdentity]) -> Result<(), Box<Diagnostic>> {
        Ok(())
    }

    fn may_end(&self) -> bool;

    /// Whether a signal to the process may end the run.
    fn may_be_interrupted(&self) -> bool {
        false
    }

    /// The deadline of the time limit; `None` while its clock is paused.
    fn deadline(&self) -> Option<Instant>;

    /// Pauses the clock of the time limit while the user is asked. Calls may be nested.
    fn pause_clock(&self) {}

    fn resume_clock(&self) {}

    /// Refuses all further requests; those under way go on.
    fn refuse_requests(&self) {}

    /// Ends the whole run, as a limit does: the failure must not become a tool result.
    fn fail(&self, error: RunError);

    fn ended(&self) -> Option<Rc<RunError>>;

    fn reached(&self) -> LocalBoxFuture<'_, ()>;
}

/// Runs a prompt to its end. Implemented in `session`; the bindings start runs through it.
pub trait StepLoop {
    /// Begins a run with this call; the future completes it. The outcome is in the record of the host.
    fn run<'a>(self: Rc<Self>, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()>;
}
