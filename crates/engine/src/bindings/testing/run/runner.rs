//! The interface to the runner of prompt files for tests.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::future::LocalBoxFuture;
use rquickjs::{Ctx, JsLifetime, Result};
use serde::Serialize;

use crate::bindings::{run::model_choice::ModelChoice, values::plain_error};
use lmthing_base::{
    chat::{FinishReason, Source, Step, ToolInput, ToolResult, Usage},
    diagnostic::{Diagnostic, Location},
    event::FailureReport,
    permission::ApprovalRules,
};
use lmthing_node::user_data;

pub trait PromptFileRunner {
    /// Dropping the future ends the run.
    fn run(&self, request: RunRequest) -> LocalBoxFuture<'static, RunEnd>;

    fn count(&self) -> u64;

    /// Cancels the current runs except the first `count`. Returns their number.
    fn give_up_after(&self, count: u64) -> usize;
}

#[derive(Clone, Debug)]
pub struct RunRequest {
    pub path: PathBuf,
    /// JSON text (`run --input`).
    pub input: Option<String>,
    pub model: Option<ModelChoice>,
    /// A recording that replaces models; absolute path.
    pub recording: Option<PathBuf>,
    /// The call of `run()`, where a recording that does not fit is reported.
    pub location: Option<Location>,
    /// `process.env` of the test file, if it was accessed.
    pub environment: Option<BTreeMap<String, String>>,
    /// Variables to set in addition; `None` removes one.
    pub variables: Vec<(String, Option<String>)>,
    pub approve: ApprovalRules,
    pub timeout: Option<Duration>,
    pub latest: Option<Instant>,
    /// Whether to keep pieces of answers and schemas of tools, for `fullSteps` and `toReuse`.
    pub keeps_pieces: bool,
}

#[derive(Debug)]
pub enum RunEnd {
    Report(Box<RunReport>),
    /// The run did not begin, as a file is missing.
    Refused(Box<Diagnostic>),
    GivenUp,
}

#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// The text of the last step, even if that failed.
    pub text: String,
    pub output: Option<serde_json::Value>,
    pub steps: Vec<Rc<Step>>,
    /// Tool calls of all prompts, in the order in which they were made.
    pub calls: Vec<CallReport>,
    pub sources: Vec<Source>,
    /// All steps after the first of their conversations.
    pub reuse: Vec<StepReuse>,
    pub usage: Usage,
    /// US dollars of all answers; `None` if a price is unknown.
    pub cost: Option<f64>,
    pub finish_reason: Option<FinishReason>,
    /// Redacted.
    pub error: Option<FailureReport>,
}

#[derive(Clone, Debug)]
pub struct CallReport {
    /// Names of the calling agents from the outermost; empty for the file's own prompt.
    pub agent: Vec<Rc<str>>,
    pub tool_name: String,
    pub tool_call_id: String,
    /// As the model wrote it, or as validated when the call was answered.
    pub input: ToolInput,
    pub provider_executed: bool,
    /// `None` if the run failed before.
    pub result: Option<Rc<ToolResult>>,
}

/// How much of the request before is the beginning of the request of a step, in bytes.
#[derive(Clone, Debug, Serialize)]
pub struct StepReuse {
    /// As in [`CallReport`].
    pub agent: Vec<String>,
    pub step: usize,
    pub same: u64,
    pub before: u64,
    /// The kind and name of what has changed first, if anything has.
    pub changed: Option<(&'static str, Option<String>)>,
}

#[derive(JsLifetime)]
struct Runner(Rc<dyn PromptFileRunner>);

pub fn install(ctx: &Ctx<'_>, runs: Rc<dyn PromptFileRunner>) -> Result<()> {
    user_data::store(ctx, Runner(runs))
}

pub fn count(ctx: &Ctx<'_>) -> u64 {
    ctx.userdata::<Runner>().map_or(0, |runner| runner.0.count())
}

pub fn give_up_after(ctx: &Ctx<'_>, count: u64) -> usize {
    ctx.userdata::<Runner>().map_or(0, |runner| runner.0.give_up_after(count))
}

/// Throws in an engine without tests.
pub(super) fn runner(ctx: &Ctx<'_>) -> Result<Rc<dyn PromptFileRunner>> {
    match ctx.userdata::<Runner>() {
        Some(runner) => Ok(runner.0.clone()),
        None => Err(plain_error(
            ctx,
            "run of lmthing/test is for test files (lmthing test); a prompt file runs another one with run of lmthing",
        )),
    }
}
