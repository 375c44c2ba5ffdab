//! Collects a model's answer from its stream.

use serde_json::Value;

use super::sources::keep_true_cites;
use lmthing_base::chat::{
    CallWarning, ContentPart, FinishReason, Message, ProviderOptions, ResponseMetadata, Role, SharedText, SourceList,
    StreamPart, ToolCall, ToolInput, ToolOutput, ToolResult, Usage,
};
use lmthing_providers::{AnswerEnd, ProviderError, ProviderErrorKind};

#[derive(Debug)]
struct OpenBlock {
    id: String,
    index: usize,
}

#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) provider: String,
    pub(super) model_id: String,
    /// In the order of the stream, as it is sent back to the provider.
    content: Vec<ContentPart>,
    open: Vec<OpenBlock>,
    pub(super) finish_reason: FinishReason,
    pub(super) usage: Usage,
    pub(super) warnings: Vec<CallWarning>,
    pub(super) response: ResponseMetadata,
    pub(super) sources: SourceList,
    pub(super) end: AnswerEnd,
    is_paused: bool,
}

impl Answer {
    pub(super) fn set_model(&mut self, provider: &str, model_id: &str) {
        (self.provider, self.model_id) = (provider.to_owned(), model_id.to_owned());
    }

    /// Adds a part. Returns a complete tool call, which can be started at once.
    pub(super) fn add(&mut self, part: &StreamPart) -> Option<ToolCall> {
        let mut call = None;
        self.end.add(part);
        match part {
            StreamPart::StreamStart { warnings } => {
                let new: Vec<_> = self.new_warnings(warnings);
                self.warnings.extend(new);
            }
            StreamPart::ResponseMetadata(metadata) => self.merge_response(metadata),
            StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, provider_metadata } => {
                let input = ToolInput::from_text(input);
                self.content.push(ContentPart::ToolCall {
                    tool_call_id: tool_call_id.clone(),
                    tool_name: tool_name.clone(),
                    input: input.clone(),
                    provider_executed: *provider_executed,
                    provider_options: provider_metadata.clone(),
                });
                let (tool_call_id, tool_name) = (tool_call_id.clone(), tool_name.clone());
                call = (!provider_executed).then_some(ToolCall { tool_call_id, tool_name, input });
            }
            StreamPart::ToolResult { tool_call_id, tool_name, result, is_error, provider_metadata } => {
                let output = if *is_error { ToolOutput::ErrorJson } else { ToolOutput::Json };
                self.content.push(ContentPart::ToolResult {
                    tool_call_id: tool_call_id.clone(),
                    tool_name: tool_name.clone(),
                    output: output(result.clone()),
                    agents: [].into(),
                    provider_options: provider_metadata.clone(),
                });
            }
            StreamPart::Source(source) => self.sources.add(source.clone()),
            StreamPart::File { media_type, data } => self.content.push(ContentPart::File {
                data: data.clone(),
                media_type: media_type.clone(),
                filename: None,
                provider_options: None,
            }),
            StreamPart::Finish { finish_reason, usage, is_paused, .. } => {
                self.finish_reason = *finish_reason;
                self.usage = *usage;
                self.is_paused = *is_paused;
            }
            StreamPart::TextStart { .. }
            | StreamPart::TextDelta { .. }
            | StreamPart::TextEnd { .. }
            | StreamPart::ReasoningStart { .. }
            | StreamPart::ReasoningDelta { .. }
            | StreamPart::ReasoningEnd { .. } => self.add_block_part(part),
            // The whole call follows; an error ends the run elsewhere.
            StreamPart::ToolInputStart { .. }
            | StreamPart::ToolInputDelta { .. }
            | StreamPart::ToolInputEnd { .. }
            | StreamPart::Error { .. } => {}
        }
        call
    }

    /// The failure that the answer is, if it is one.
    pub(super) fn failure(&self) -> Option<ProviderError> {
        self.end.failure(&self.provider, &self.model_id)
    }

    /// Whether the provider has paused the answer and goes on with it when it is sent back. A pause of mere text is the end of
    /// an answer, and results of our own calls need a step of their own.
    pub(super) fn can_continue(&self) -> bool {
        let calls = self.content.iter().filter_map(|part| match part {
            ContentPart::ToolCall { provider_executed, .. } => Some(*provider_executed),
            _ => None,
        });
        let calls: Vec<bool> = calls.collect();
        self.is_paused && !calls.is_empty() && calls.iter().all(|by_provider| *by_provider)
    }

    pub(super) fn content(&self) -> &[ContentPart] {
        &self.content
    }

    /// Prepares for the rest of a paused answer, whose blocks are new ones.
    pub(super) fn pause(&mut self) {
        self.is_paused = false;
        self.open.clear();
    }

    /// Those that no earlier request of the step had.
    pub(super) fn new_warnings(&self, warnings: &[CallWarning]) -> Vec<CallWarning> {
        warnings.iter().filter(|warning| !self.warnings.contains(warning)).cloned().collect()
    }

    /// The result of a call of the provider that was added last.
    pub(super) fn last_result(&self) -> Option<ToolResult> {
        ToolResult::of_provider(&self.content).pop()
    }

    /// Ends an answer that the user has stopped: what was shown stays. Its calls are not made, and reasoning that is not
    /// complete cannot be sent back.
    pub(super) fn cut(&mut self, usage: Usage) {
        self.content.retain(|part| matches!(part, ContentPart::Text { .. } | ContentPart::File { .. }));
        self.open.clear();
        (self.finish_reason, self.usage, self.is_paused) = (FinishReason::Other, usage, false);
        self.end = AnswerEnd::default();
    }

    pub(super) fn check_cites(&mut self) {
        let text = if self.sources.sources().is_empty() { Vec::new() } else { self.text() };
        keep_true_cites(self.sources.cites_mut(), &text);
    }

    /// The text so far, in UTF-16 code units.
    pub(super) fn text(&self) -> Vec<u16> {
        let text = |part: &ContentPart| match part {
            ContentPart::Text { text, .. } => text.as_str().encode_utf16().collect(),
            _ => Vec::new(),
        };
        self.content.iter().flat_map(text).collect()
    }

    /// The message so far, as it is sent back to the provider.
    pub(super) fn message_so_far(&self) -> Message {
        Message::parts(Role::Assistant, self.content.iter().filter(|part| !is_empty_text(part)).cloned().collect())
    }

    /// Blocks interleave, and some models leave out the start of a block.
    fn add_block_part(&mut self, part: &StreamPart) {
        let reasoning = || ContentPart::Reasoning { text: SharedText::default(), provider_options: None };
        match part {
            StreamPart::TextStart { id, provider_metadata } => {
                self.open_block(id, ContentPart::text(""));
                self.extend(id, "", provider_metadata.as_ref());
            }
            StreamPart::ReasoningStart { id, provider_metadata } => {
                self.open_block(id, reasoning());
                self.extend(id, "", provider_metadata.as_ref());
            }
            StreamPart::TextDelta { id, delta, provider_metadata } => {
                if self.block(id).is_none() {
                    self.open_block(id, ContentPart::text(""));
                }
                self.extend(id, delta, provider_metadata.as_ref());
            }
            StreamPart::ReasoningDelta { id, delta, provider_metadata } => {
                if self.block(id).is_none() {
                    self.open_block(id, reasoning());
                }
                self.extend(id, delta, provider_metadata.as_ref());
            }
            StreamPart::TextEnd { id, provider_metadata } | StreamPart::ReasoningEnd { id, provider_metadata } => {
                self.extend(id, "", provider_metadata.as_ref());
                self.open.retain(|block| block.id != *id);
            }
            _ => {}
        }
    }

    /// The failure that a provider has reported inside its stream.
    pub(super) fn reported_error(&self, error: &Value) -> ProviderError {
        let text = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
        let message = text.map_or_else(|| error.to_string(), str::to_owned);
        ProviderError::new(ProviderErrorKind::Stream, &self.provider, &self.model_id, message)
    }

    fn merge_response(&mut self, metadata: &ResponseMetadata) {
        let response = &mut self.response;
        // Providers send the metadata in pieces: headers first, id and model with the first event.
        response.id = metadata.id.clone().or(response.id.take());
        response.model_id = metadata.model_id.clone().or(response.model_id.take());
        response.timestamp = metadata.timestamp.or(response.timestamp);
        response.headers = metadata.headers.clone().or(response.headers.take());
        response.ending = metadata.ending.clone().or(response.ending.take());
        response.service_tier = metadata.service_tier.clone().or(response.service_tier.take());
    }

    fn open_block(&mut self, id: &str, part: ContentPart) {
        self.open.push(OpenBlock { id: id.to_owned(), index: self.content.len() });
        self.content.push(part);
    }

    fn block(&self, id: &str) -> Option<usize> {
        self.open.iter().rev().find(|block| block.id == id).map(|block| block.index)
    }

    fn extend(&mut self, id: &str, delta: &str, metadata: Option<&ProviderOptions>) {
        // The end of a block that never began adds nothing.
        let Some(index) = self.block(id) else { return };
        if let ContentPart::Text { text, provider_options } | ContentPart::Reasoning { text, provider_options } =
            &mut self.content[index]
        {
            text.push_str(delta);
            if let Some(metadata) = metadata {
                merge_options(provider_options.get_or_insert_default(), metadata);
            }
        }
    }

    /// Takes the assistant's message for the history; `None` if it is empty. Moved, not copied: an answer may be many
    /// megabytes.
    pub(super) fn take_message(&mut self) -> Option<Message> {
        let mut parts = std::mem::take(&mut self.content);
        parts.retain(|part| !is_empty_text(part));
        (!parts.is_empty()).then(|| Message::parts(Role::Assistant, parts))
    }
}

/// Empty reasoning with a signature has to be sent back to its provider; empty text never.
fn is_empty_text(part: &ContentPart) -> bool {
    match part {
        ContentPart::Text { text, .. } => text.is_empty(),
        ContentPart::Reasoning { text, provider_options } => text.is_empty() && provider_options.is_none(),
        _ => false,
    }
}

fn merge_options(into: &mut ProviderOptions, from: &ProviderOptions) {
    for (provider, value) in from {
        match (into.get_mut(provider), value) {
            (Some(Value::Object(old)), Value::Object(new)) => {
                old.extend(new.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            _ => {
                into.insert(provider.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use lmthing_base::chat::StepOutput;

    fn delta(id: &str, text: &str) -> StreamPart {
        StreamPart::TextDelta { id: id.into(), delta: text.into(), provider_metadata: None }
    }

    fn call(id: &str, input: &str) -> StreamPart {
        StreamPart::ToolCall {
            tool_call_id: id.into(),
            tool_name: "t".into(),
            input: input.into(),
            provider_executed: false,
            provider_metadata: None,
        }
    }

    fn answer(parts: Vec<StreamPart>) -> Answer {
        let mut answer = Answer::default();
        for part in parts {
            answer.add(&part);
        }
        answer
    }

    #[test]
    fn history_keeps_the_order_of_the_stream_and_the_output_lists_calls_first() {
        let mut answer = answer(vec![delta("0", "a"), delta("0", "b"), call("c1", "{\"x\":1}"), delta("1", "z")]);
        let message = answer.take_message().map(std::rc::Rc::new);
        let output = StepOutput { message: message.clone(), finish_reason: FinishReason::Stop };
        let output = serde_json::to_value(output.content()).unwrap();
        let message = serde_json::to_value(message.as_deref()).unwrap();
        let kinds: Vec<_> = message["content"].as_array().unwrap().iter().map(|part| part["type"].clone()).collect();
        assert_eq!(kinds, [json!("text"), json!("tool-call"), json!("text")]);
        assert_eq!(output[0]["input"], json!({ "x": 1 }));
        assert_eq!(output[1], json!({ "type": "text", "text": "abz" }));
    }

    #[test]
    fn an_empty_answer_adds_nothing_to_the_history() {
        assert_eq!(answer(vec![delta("0", "")]).take_message(), None);
    }
}
