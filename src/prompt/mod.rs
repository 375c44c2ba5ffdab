//! A prompt as plain data: its definitions, the conversation, what a step sends, and the record of a run.
//!
//! [`PromptHost`] is what the step loop needs from the language a prompt is written in; callbacks stay there, found
//! by name.

mod active;
mod answer;
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

pub(crate) use active::ActiveSet;
pub(crate) use answer::{ANSWER_SECTION, AnswerCheck, AnswerShape, FoundJson, correction};
pub(crate) use data::Data;
pub(crate) use decisions::{Decisions, Known, NamedCall, TEXT_CODE};
pub(crate) use definitions::{FunctionDefinition, Prompt, ToolDefinition, ToolMaker, Variable};
pub(crate) use error::{OutputFailure, RunError, ScriptFailure};
pub(crate) use host::{
    MethodAnswer, PriceList, PromptHost, RunLimits, RunSettings, Standing, StepLoop, ToolAnswer, plan_step,
};
pub(crate) use jobs::{JobGuard, JobId, Jobs, Work};
pub(crate) use kind::DefinitionKind;
pub(crate) use plan::{StepModifications, StepPlan};
pub(crate) use record::{RunOutcome, RunRecord};
