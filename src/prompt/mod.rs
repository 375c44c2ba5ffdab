//! What a prompt function defined, as plain data: the engine-free half of a prompt.
//!
//! Owns: variables, system sections, tools, messages, reminders and `disable`, reconciliation after a re-run, what a
//! step sends ([`StepPlan`]), and the record of a run ([`RunRecord`]). [`PromptHost`] is what the step loop needs from
//! the language a prompt is written in.
//!
//! Must not know: JavaScript values, providers, how text is printed. Callbacks stay with the host, found by name.

mod active;
mod definitions;
mod error;
mod hidden;
mod host;
mod kind;
mod plan;
mod record;
mod reminders;
mod render;

pub use active::ActiveSet;
pub use definitions::{FunctionDefinition, Prompt, ToolDefinition, Variable};
pub use error::{RunError, ScriptFailure};
pub use host::{MethodAnswer, PromptHost, RunSettings, StepLoop, ToolAnswer};
pub use kind::DefinitionKind;
pub use plan::{StepModifications, StepPlan};
pub use record::{Listener, RunOutcome, RunPart, RunRecord};
pub use render::to_yaml;
