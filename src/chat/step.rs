//! The record of one step: what went out, what came back.

use std::rc::Rc;

use serde_json::Value;

use super::{CallWarning, ContentPart, FinishReason, PromptMessages, ResponseMetadata, StreamPart, ToolOutput, Usage};

/// One finished step of a run.
///
/// `prompt.steps` shows `prompt`, `output` and `active_tools`; `prompt.fullSteps` shows `raw` in place of `output`;
/// `result.steps` is built from the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The messages that were sent, system message first. Shared with the history and the other steps.
    pub prompt: PromptMessages,
    pub output: StepOutput,
    pub active_tools: Vec<String>,
    /// The stream as it arrived.
    pub raw: Vec<Rc<StreamPart>>,
    pub tool_results: Vec<ToolResult>,
    pub usage: Usage,
    pub warnings: Vec<CallWarning>,
    pub response: ResponseMetadata,
}

/// What a step's answer comes to. Tool calls are listed before the text (SPEC 3, scenarios `steps/*`).
#[derive(Clone, Debug, PartialEq)]
pub struct StepOutput {
    pub content: Vec<ContentPart>,
    pub finish_reason: FinishReason,
}

/// A tool call the model made in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub tool_call_id: String,
    pub tool_name: String,
    /// The parsed arguments; a JSON string when the model's text was not JSON.
    pub input: Value,
}

/// A tool call with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    pub tool_call_id: String,
    pub tool_name: String,
    pub input: Value,
    pub output: ToolOutput,
    pub agent_steps: Option<Rc<Vec<Step>>>,
}

impl Step {
    /// The text of the answer; empty when there was none.
    pub fn text(&self) -> String {
        self.output
            .content
            .iter()
            .filter_map(|part| match part {
                ContentPart::Text { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }
}
