//! A prompt as plain data: its definitions, the conversation, what a step sends, and the record of a run.

mod active;
mod data;
mod decisions;
mod definitions;
mod error;
mod hidden;
mod host;
mod jobs;
mod kind;
mod pending_state;
mod plan;
mod record;
mod render;
mod turns;

pub use active::ActiveSet;
pub use data::Data;
pub use decisions::{Decisions, Known, NamedCall, TEXT_CODE};
pub use definitions::{FunctionDefinition, Prompt, ToolDefinition, ToolMaker, Variable};
pub use error::{OutputFailure, RunError, ScriptFailure};
pub use host::{
    MethodAnswer, PriceList, PromptHost, RunLimits, RunSettings, Standing, StepLoop, ToolAnswer, plan_step,
};
pub use jobs::{JobGuard, JobId, Jobs, Work};
pub use kind::DefinitionKind;
pub(crate) use kind::WEB_SEARCH;
pub use lmthing_base::answer::{ANSWER_SECTION, AnswerCheck, AnswerShape, FoundJson, correction};
pub use plan::{StepModifications, StepPlan};
pub use record::{RunOutcome, RunRecord};
pub use turns::{NextTurn, TurnPrompt, Turns};
