//! The seam between the step loop and the language a prompt is written in.

use std::{cell::RefCell, rc::Rc};

use futures_util::future::LocalBoxFuture;
use serde_json::Value;
use thiserror::Error;

use super::{definitions::Prompt, plan::StepModifications, record::RunRecord};
use crate::{
    chat::{CallSettings, PromptMessages, Step, ToolCall, ToolInput, ToolOutput, ToolSpec},
    diagnostic::Diagnostic,
    provider::{LanguageModel, ProviderError},
};

/// Why a run broke off.
#[derive(Clone, Debug, Error)]
pub enum RunError {
    /// The prompt's own code threw.
    #[error("{}", .0.message)]
    Script(Box<Diagnostic>),
    /// The model or its provider failed.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// A limit ended the run, such as 1000 steps.
    #[error("{message}")]
    Limit { message: String },
    /// `options.abortSignal` was aborted.
    #[error("the run was aborted")]
    Aborted,
}

/// What a tool call came to.
#[derive(Clone, Debug)]
pub struct ToolAnswer {
    /// The arguments after validation, for `result.toolResults` and `lastTool`.
    pub input: ToolInput,
    pub output: ToolOutput,
    /// The child's steps when an agent answered.
    pub agent_steps: Option<Rc<Vec<Step>>>,
}

/// What the code of a `<run_code>` block came to.
#[derive(Clone, Debug, PartialEq)]
pub enum MethodAnswer {
    /// It ran; `None` when it returned nothing.
    Value(Option<Value>),
    /// It was refused or threw; the message is for the model.
    Error(String),
}

/// Settings of a run from `config.options`, as plain data.
#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    pub call: CallSettings,
    /// `options.system`: plain text at the top of the system prompt.
    pub system: Option<String>,
    /// `options.activeTools`: the only tools the model is told of.
    pub active_tools: Option<Vec<String>>,
    /// How many steps a run may take; 1000 unless set (SPEC 3).
    pub max_steps: Option<usize>,
}

/// What the step loop needs from the language a prompt is written in.
///
/// One host is one prompt: the main one or an agent's child. All methods are called from one thread; the loop never
/// holds a borrow of [`PromptHost::prompt`] across an await.
pub trait PromptHost {
    /// The definitions and the conversation.
    fn prompt(&self) -> &RefCell<Prompt>;

    /// Where the run is written down.
    fn record(&self) -> &RunRecord;

    /// The model that answers.
    fn model(&self) -> Rc<dyn LanguageModel + '_>;

    /// The settings of the run.
    fn settings(&self) -> RunSettings;

    /// Runs the prompt function again with the current state. A prompt without one (a child) does nothing and
    /// keeps its definitions.
    fn rerun(&self) -> LocalBoxFuture<'_, Result<(), RunError>>;

    /// Runs the effects that are due before step `step` and returns what they asked for.
    fn run_effects(&self, step: usize) -> LocalBoxFuture<'_, Result<StepModifications, RunError>>;

    /// System sections that plugins show on every step, rendered now.
    fn plugin_sections(&self) -> Result<Vec<(String, String)>, RunError>;

    /// The named tools as the model is told of them.
    fn tool_specs(&self, names: &[String]) -> Result<Vec<ToolSpec>, RunError>;

    /// Whether methods are defined, so that the step's text has to be watched for `<run_code>` blocks.
    fn has_methods(&self) -> Result<bool, RunError>;

    /// Runs the code of one `<run_code>` block.
    fn run_method_code<'a>(&'a self, code: &'a str) -> LocalBoxFuture<'a, MethodAnswer>;

    /// Answers one call of a tool that is active. Failures are answers (`{error: message}`), not errors.
    fn call_tool<'a>(&'a self, call: &'a ToolCall, messages: &'a PromptMessages) -> LocalBoxFuture<'a, ToolAnswer>;

    /// Calls `onStepFinish`, then asks `stopWhen`; `true` ends the run.
    fn step_finished<'a>(&'a self, step: &'a Rc<Step>) -> LocalBoxFuture<'a, Result<bool, RunError>>;

    /// Runs the effects' clean-ups and, when the run was not broken off, `onFinish`.
    fn run_finished(&self, failed: bool) -> LocalBoxFuture<'_, Result<(), RunError>>;

    /// Resolves when `options.abortSignal` is aborted; never without one.
    fn aborted(&self) -> LocalBoxFuture<'_, ()>;
}

/// Drives a prompt from its first step to its end. `session` has the implementation; `script` starts runs through it.
pub trait StepLoop {
    /// Runs to the end; the record of the host says how it went.
    fn run<'a>(&'a self, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()>;
}
