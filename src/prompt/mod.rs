//! What a prompt function defined, as plain data: the engine-free half of a prompt.
//!
//! Owns: variables, system sections, tools, messages, reminders and `disable`, reconciliation after a re-run, what a
//! step sends ([`StepPlan`]), and the record of a run ([`RunRecord`]). [`PromptHost`] is what the step loop needs from
//! the language a prompt is written in.
//!
//! Must not know: JavaScript values, providers, how text is printed. Callbacks stay with the host, found by name.

mod active;
mod answer;
mod data;
mod decisions;
mod definitions;
mod due;
mod error;
mod hidden;
mod host;
mod jobs;
mod kind;
mod plan;
mod record;
mod reminders;
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
