//! The record of one step: request, answer and tool results (docs/reference/results.md).

use std::rc::Rc;

use super::{
    CallSettings, CallWarning, ContentPart, FinishReason, Message, PartLog, PromptMessages, ResponseMetadata, Role,
    SharedText, Source, StepCache, StreamPart, ToolInput, ToolOutput, ToolSpec, Usage,
};

/// One finished step of a run.
///
/// `prompt.steps` shows `prompt`, `output` and `active_tools`; `prompt.fullSteps` shows the whole request and `raw` in
/// place of `output`; `result.steps` is built from the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The messages that were sent, system message first; shared with the history and the other steps.
    pub prompt: PromptMessages,
    /// `None` for a model that reads no requests, such as a mock.
    pub tools: Option<Rc<[ToolSpec]>>,
    pub settings: Rc<CallSettings>,
    pub output: StepOutput,
    pub active_tools: Vec<String>,
    /// The stream as it arrived, where a caller may ask for it.
    pub raw: PartLog,
    pub tool_results: Vec<ToolResult>,
    pub usage: Usage,
    /// In US dollars; `None` when the price is unknown.
    pub cost: Option<f64>,
    pub warnings: Vec<CallWarning>,
    pub response: ResponseMetadata,
    /// What the answer is based on, each page or document once.
    pub sources: Vec<Source>,
    /// `None` for the first step of a conversation.
    pub cache: Option<StepCache>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StepOutput {
    /// Shared with the history; `None` when the answer is empty.
    pub message: Option<Rc<Message>>,
    pub finish_reason: FinishReason,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub tool_call_id: String,
    /// The name that the model gave, known or not.
    pub tool_name: String,
    pub input: ToolInput,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    pub tool_call_id: String,
    pub tool_name: String,
    /// The arguments after validation, or as the model wrote them if they were never validated.
    pub input: ToolInput,
    pub output: ToolOutput,
    pub agents: Rc<[AgentRun]>,
    /// Whether the provider has run the call itself. Such a result belongs to the answer.
    pub provider_executed: bool,
}

impl ToolResult {
    /// The results in an answer: those of calls that the provider has run itself.
    pub fn of_provider(answer: &[ContentPart]) -> Vec<ToolResult> {
        let input_of = |id: &str| {
            let input = answer.iter().find_map(|part| match part {
                ContentPart::ToolCall { tool_call_id, input, .. } if tool_call_id == id => Some(input.clone()),
                _ => None,
            });
            // The call may be that of an earlier step.
            input.unwrap_or_else(|| ToolInput::from_text(""))
        };
        let result = |part: &ContentPart| match part {
            ContentPart::ToolResult { tool_call_id, tool_name, output, .. } => Some(ToolResult {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                input: input_of(tool_call_id),
                output: output.clone(),
                agents: Rc::new([]),
                provider_executed: true,
            }),
            _ => None,
        };
        answer.iter().filter_map(result).collect()
    }

    fn part(&self) -> ContentPart {
        ContentPart::ToolResult {
            tool_call_id: self.tool_call_id.clone(),
            tool_name: self.tool_name.clone(),
            output: self.output.clone(),
            agents: self.agents.clone(),
            provider_options: None,
        }
    }

    /// The message that returns the results to the model; `None` without results.
    pub fn message(results: &[ToolResult]) -> Option<Message> {
        (!results.is_empty()).then(|| Message::parts(Role::Tool, results.iter().map(ToolResult::part).collect()))
    }
}

/// The run of a child prompt within a tool call. Scripts see its steps; the model does not, as it would pay for them in tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRun {
    /// The index of the result that it gave, for a call with several results.
    pub result: Option<usize>,
    pub steps: Vec<Rc<Step>>,
    /// The key of its run within the whole run, by which its log is found.
    pub key: Rc<str>,
}

impl StepOutput {
    pub fn parts(&self) -> &[ContentPart] {
        self.message.as_deref().map_or(&[], Message::content_parts)
    }

    /// Calls, then other parts, then all text as one part, whatever their order in the stream.
    pub fn content(&self) -> Vec<ContentPart> {
        let (calls, others): (Vec<_>, Vec<_>) = self
            .parts()
            .iter()
            .filter(|part| !matches!(part, ContentPart::Text { .. }))
            .partition(|part| matches!(part, ContentPart::ToolCall { .. }));
        let text = Some(self.text()).filter(|text| !text.is_empty()).map(ContentPart::text);
        calls.into_iter().chain(others).cloned().chain(text).collect()
    }

    /// All text. It is nearly always one part and then shared with it, as an answer may be many megabytes.
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
    pub fn text(&self) -> String {
        self.output.text().as_str().to_owned()
    }

    /// The stream as it arrived. Where it was not kept, each block is one part.
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
                ContentPart::ToolCall {
                    tool_call_id,
                    tool_name,
                    input,
                    provider_executed,
                    provider_options: provider_metadata,
                } => {
                    let input = input.text().map_or_else(|| input.value().to_string(), str::to_owned);
                    parts.push(StreamPart::ToolCall {
                        tool_call_id,
                        tool_name,
                        input,
                        provider_executed,
                        provider_metadata,
                    });
                }
                ContentPart::ToolResult {
                    tool_call_id,
                    tool_name,
                    output,
                    provider_options: provider_metadata,
                    ..
                } => {
                    let (result, is_error) = (output.to_value(), output.is_error());
                    parts.push(StreamPart::ToolResult { tool_call_id, tool_name, result, is_error, provider_metadata });
                }
                ContentPart::File { data, media_type, .. } => parts.push(StreamPart::File { media_type, data }),
                _ => {}
            }
        }
        parts.extend(self.sources.iter().cloned().map(StreamPart::Source));
        let (finish_reason, usage) = (self.output.finish_reason, self.usage);
        parts.push(StreamPart::Finish { finish_reason, usage, is_paused: false, provider_metadata: None });
        parts
    }
}
