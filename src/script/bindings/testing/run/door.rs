//! The door to whoever runs prompt files for tests: what is asked of him, and what he reports, as plain data. Must not know
//! how a run is made.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::future::LocalBoxFuture;
use rquickjs::{Ctx, JsLifetime, Result};

use crate::{
    chat::{FinishReason, Step, ToolInput, ToolResult, Usage},
    diagnostic::Diagnostic,
    event::FailureReport,
    permission::ApprovalRules,
    script::{
        bindings::{run::model_choice::ModelChoice, values::plain_error},
        user_data,
    },
};

/// Runs prompt files for the tests of one engine.
pub(crate) trait PromptRuns {
    /// Runs a prompt file to its end, in an engine of its own. Dropping the future ends the run, and everything in it.
    fn run(&self, request: RunRequest) -> LocalBoxFuture<'static, RunEnd>;

    /// How many runs were asked for so far.
    fn count(&self) -> u64;

    /// Gives up the runs under way but for the first `count` that were asked for: nothing of them goes on. Gives their number.
    fn give_up_after(&self, count: u64) -> usize;
}

/// What a test asks for.
#[derive(Clone, Debug)]
pub(crate) struct RunRequest {
    /// The prompt file; absolute.
    pub path: PathBuf,
    /// The whole input as JSON text (`run --input`).
    pub input: Option<String>,
    /// The model in place of the file's own.
    pub model: Option<ModelChoice>,
    /// The recording that answers in place of models; absolute.
    pub recording: Option<PathBuf>,
    /// What `process.env` of the test file holds, if it has looked at it.
    pub environment: Option<BTreeMap<String, String>>,
    /// Variables to set over these; `None` takes one away.
    pub variables: Vec<(String, Option<String>)>,
    /// Which calls are approved that need it.
    pub approve: ApprovalRules,
    /// How long the run may take.
    pub timeout: Option<Duration>,
    /// When scripts of the run are interrupted at the latest.
    pub latest: Option<Instant>,
    /// Whether `fullSteps` may be looked at: pieces of answers and schemas of tools are kept then.
    pub keeps_pieces: bool,
}

/// How that ended.
#[derive(Debug)]
pub(crate) enum RunEnd {
    /// The run is over, well or not.
    Report(Box<RunReport>),
    /// It did not begin: what was asked for is not there.
    Refused(Box<Diagnostic>),
    /// It was given up.
    GivenUp,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunReport {
    /// The text of the last step, also of one that broke off.
    pub text: String,
    /// The validated output, of a file that has one.
    pub output: Option<serde_json::Value>,
    /// The steps of the file's own prompt.
    pub steps: Vec<Rc<Step>>,
    /// The tool calls of all prompts, in the order they were made.
    pub calls: Vec<CallReport>,
    /// The tokens of all answers.
    pub usage: Usage,
    /// What all answers cost in US dollars; `None` when a price is not known.
    pub cost: Option<f64>,
    /// Why the last answer ended, if one has.
    pub finish_reason: Option<FinishReason>,
    /// What went wrong, if anything did. Without secrets.
    pub error: Option<FailureReport>,
}

/// A tool call of a run.
#[derive(Clone, Debug)]
pub(crate) struct CallReport {
    /// Who made it: the names from the outermost agent on, none for the file's own prompt.
    pub agent: Vec<Rc<str>>,
    /// The tool.
    pub tool_name: String,
    /// What the result refers to.
    pub tool_call_id: String,
    /// Its input: what the model wrote, with what the call made of it when it was answered.
    pub input: ToolInput,
    /// What came of it; nothing when the run broke off before that.
    pub result: Option<Rc<ToolResult>>,
}

#[derive(JsLifetime)]
struct Door(Rc<dyn PromptRuns>);

/// Lets tests of this engine run prompt files. Done once an engine.
pub(crate) fn install(ctx: &Ctx<'_>, runs: Rc<dyn PromptRuns>) -> Result<()> {
    user_data::store(ctx, Door(runs))
}

/// How many runs the tests of this engine have asked for so far.
pub(in crate::script::bindings::testing) fn count(ctx: &Ctx<'_>) -> u64 {
    ctx.userdata::<Door>().map_or(0, |door| door.0.count())
}

/// Gives up the runs under way but for the first `count`: whoever asked for them is over. Gives their number.
pub(in crate::script::bindings::testing) fn give_up_after(ctx: &Ctx<'_>, count: u64) -> usize {
    ctx.userdata::<Door>().map_or(0, |door| door.0.give_up_after(count))
}

/// Who runs prompt files. Throws in an engine that runs no tests.
pub(super) fn door(ctx: &Ctx<'_>) -> Result<Rc<dyn PromptRuns>> {
    match ctx.userdata::<Door>() {
        Some(door) => Ok(door.0.clone()),
        None => Err(plain_error(
            ctx,
            "run of lmthing/test is for test files (lmthing test); a prompt file runs another one with run of lmthing",
        )),
    }
}
