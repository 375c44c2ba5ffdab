//! The record of one step: what went out, what came back (docs/reference.md, "Results").

use std::rc::Rc;

use super::{
    CallSettings, CallWarning, ContentPart, FinishReason, Message, PartLog, PromptMessages, ResponseMetadata, Role,
    SharedText, StreamPart, ToolInput, ToolOutput, ToolSpec, Usage,
};

/// One finished step of a run.
///
/// `prompt.steps` shows `prompt`, `output` and `active_tools`; `prompt.fullSteps` shows the whole request and `raw` in
/// place of `output`; `result.steps` is built from the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The messages that were sent, system message first. Shared with the history and the other steps.
    pub prompt: PromptMessages,
    /// The tools the model was told of; `None` for a model that reads no requests, such as a mock: then the host kept
    /// what they would be made of.
    pub tools: Option<Rc<[ToolSpec]>>,
    /// The settings that were sent.
    pub settings: Rc<CallSettings>,
    /// What the model answered.
    pub output: StepOutput,
    /// The tools it was told of.
    pub active_tools: Vec<String>,
    /// The stream as it arrived, where somebody may ask for it.
    pub raw: PartLog,
    /// What came of its calls, in call order.
    pub tool_results: Vec<ToolResult>,
    /// The tokens of the step.
    pub usage: Usage,
    /// What the step cost, in US dollars; `None` when nobody knows the price.
    pub cost: Option<f64>,
    /// Settings that the provider did not take.
    pub warnings: Vec<CallWarning>,
    /// What the provider said about its answer.
    pub response: ResponseMetadata,
}

/// What a step's answer comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct StepOutput {
    /// What the model said, shared with the history; `None` when it said nothing.
    pub message: Option<Rc<Message>>,
    /// Why the answer ended.
    pub finish_reason: FinishReason,
}

/// A tool call the model made in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// What the result refers to.
    pub tool_call_id: String,
    /// The name that the model gave, known or not.
    pub tool_name: String,
    /// The arguments as the model wrote them.
    pub input: ToolInput,
}

/// A tool call with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The call it belongs to.
    pub tool_call_id: String,
    /// The tool that was called.
    pub tool_name: String,
    /// The arguments after validation, or as the model wrote them where they never came so far.
    pub input: ToolInput,
    /// What the call gave.
    pub output: ToolOutput,
    /// The children that worked on it, when agents did.
    pub agents: Rc<[AgentRun]>,
}

impl ToolResult {
    /// As it stands in the message that carries results back to the model.
    fn part(&self) -> ContentPart {
        ContentPart::ToolResult {
            tool_call_id: self.tool_call_id.clone(),
            tool_name: self.tool_name.clone(),
            output: self.output.clone(),
            agents: self.agents.clone(),
            provider_options: None,
        }
    }

    /// The message that carries results back to the model; `None` when there was no call.
    pub fn message(results: &[ToolResult]) -> Option<Message> {
        (!results.is_empty()).then(|| Message::parts(Role::Tool, results.iter().map(ToolResult::part).collect()))
    }
}

/// The run of a child prompt within a tool call. It is kept beside the result: scripts see the steps in it, the model,
/// which would pay for them in tokens, does not.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRun {
    /// Which of a composite's results it gave; `None` where the call has one result.
    pub result: Option<usize>,
    /// What the child did.
    pub steps: Vec<Rc<Step>>,
    /// The key of its run within the whole run, by which its log is found again.
    pub key: Rc<str>,
}

impl StepOutput {
    /// What the model said, in the order of the stream.
    pub fn parts(&self) -> &[ContentPart] {
        self.message.as_deref().map_or(&[], Message::content_parts)
    }

    /// Calls, then other parts, then all text as one part, wherever they stood in the stream.
    pub fn content(&self) -> Vec<ContentPart> {
        let (calls, others): (Vec<_>, Vec<_>) = self
            .parts()
            .iter()
            .filter(|part| !matches!(part, ContentPart::Text { .. }))
            .partition(|part| matches!(part, ContentPart::ToolCall { .. }));
        let text = Some(self.text()).filter(|text| !text.is_empty()).map(ContentPart::text);
        calls.into_iter().chain(others).cloned().chain(text).collect()
    }

    /// All text. Nearly always it is one part: shared with it, as an answer may be many megabytes.
    fn text(&self) -> SharedText {
        let texts = self.parts().iter().filter_map(|part| match part {
            ContentPart::Text { text, .. } => Some(text),
            _ => None,
        });
        texts.fold(SharedText::default(), |mut all, text| {
            if all.is_empty() {
                return text.clone();
            }
            all.push_str(text);
            all
        })
    }
}

impl Step {
    /// The text of the answer; empty when there was none.
    pub fn text(&self) -> String {
        self.output.text().as_str().to_owned()
    }

    /// The stream as it arrived. Where nobody could be expected to ask, it was not kept, and each block is one piece.
    pub fn stream_parts(&self) -> Vec<StreamPart> {
        if !self.raw.is_empty() {
            return self.raw.iter().collect();
        }
        let mut parts = vec![StreamPart::StreamStart { warnings: self.warnings.clone() }];
        for (index, part) in self.output.parts().iter().enumerate() {
            let id = index.to_string();
            match part.clone() {
                ContentPart::Text { text: delta, provider_options: provider_metadata } => parts.extend([
                    StreamPart::TextStart { id: id.clone(), provider_metadata: None },
                    StreamPart::TextDelta { id: id.clone(), delta: delta.to_string(), provider_metadata: None },
                    StreamPart::TextEnd { id, provider_metadata },
                ]),
                ContentPart::Reasoning { text: delta, provider_options: provider_metadata } => parts.extend([
                    StreamPart::ReasoningStart { id: id.clone(), provider_metadata: None },
                    StreamPart::ReasoningDelta { id: id.clone(), delta: delta.to_string(), provider_metadata: None },
                    StreamPart::ReasoningEnd { id, provider_metadata },
                ]),
                ContentPart::ToolCall { tool_call_id, tool_name, input, provider_options: provider_metadata } => {
                    let input = input.text().map_or_else(|| input.value().to_string(), str::to_owned);
                    parts.push(StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata });
                }
                ContentPart::File { data, media_type, .. } => parts.push(StreamPart::File { media_type, data }),
                _ => {}
            }
        }
        let (finish_reason, usage) = (self.output.finish_reason, self.usage);
        parts.push(StreamPart::Finish { finish_reason, usage, provider_metadata: None });
        parts
    }
}
