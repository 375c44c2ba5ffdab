//! A minimal step loop: sends requests, runs scripted tools, and collects the answers.

use std::rc::Rc;

use futures_util::StreamExt;
use lmthing_base::chat::{
    CallSettings, CallWarning, ContentPart, FinishReason, Message, ModelRequest, ProviderOptions, ResponseMetadata,
    Role, StreamPart, ToolInput, ToolOutput, ToolSpec, Usage,
};
use lmthing_providers::{LanguageModel, ProviderError};

#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub parts: Vec<StreamPart>,
    pub text: String,
    pub reasoning: String,
    /// `(id, name, argument text)`
    pub calls: Vec<(String, String, String)>,
    pub finish: Option<(FinishReason, Usage)>,
    pub warnings: Vec<CallWarning>,
    pub metadata: Vec<ResponseMetadata>,
    pub error: Option<ProviderError>,
}

/// Sends one request and reads the whole answer.
pub(crate) async fn ask(model: &dyn LanguageModel, request: ModelRequest) -> Answer {
    let mut answer = Answer::default();
    let mut parts = match model.stream(request).await {
        Ok(parts) => parts,
        Err(error) => {
            answer.error = Some(error);
            return answer;
        }
    };
    while let Some(part) = parts.next().await {
        assert!(answer.error.is_none() && answer.finish.is_none(), "nothing follows the end of a stream");
        match part {
            Ok(part) => {
                match &part {
                    StreamPart::StreamStart { warnings } => answer.warnings.clone_from(warnings),
                    StreamPart::ResponseMetadata(metadata) => answer.metadata.push(metadata.clone()),
                    StreamPart::TextDelta { delta, .. } => answer.text.push_str(delta),
                    StreamPart::ReasoningDelta { delta, .. } => answer.reasoning.push_str(delta),
                    StreamPart::ToolCall { tool_call_id, tool_name, input, .. } => {
                        answer.calls.push((tool_call_id.clone(), tool_name.clone(), input.clone()));
                    }
                    StreamPart::Finish { finish_reason, usage, .. } => answer.finish = Some((*finish_reason, *usage)),
                    _ => {}
                }
                answer.parts.push(part);
            }
            Err(error) => answer.error = Some(error),
        }
    }
    answer
}

/// A tool with one scripted result per call.
pub(crate) struct ScriptedTool {
    pub spec: ToolSpec,
    pub results: std::cell::RefCell<std::collections::VecDeque<ToolOutput>>,
}

/// Runs steps until an answer has no tool calls, or fails.
pub(crate) async fn run(
    model: &dyn LanguageModel,
    mut messages: Vec<Rc<Message>>,
    tools: &[ScriptedTool],
    settings: CallSettings,
) -> Vec<Answer> {
    let mut answers = Vec::new();
    loop {
        let request = ModelRequest {
            messages: messages.clone(),
            tools: tools.iter().map(|tool| tool.spec.clone()).collect(),
            settings: settings.clone(),
            ..ModelRequest::default()
        };
        let answer = ask(model, request).await;
        let done = answer.calls.is_empty() || answer.error.is_some();
        messages.push(Rc::new(Message::parts(Role::Assistant, assistant_parts(&answer.parts))));
        let results: Vec<ContentPart> = answer.calls.iter().map(|call| result(call, tools)).collect();
        messages.push(Rc::new(Message::parts(Role::Tool, results)));
        answers.push(answer);
        if done {
            return answers;
        }
    }
}

fn result((id, name, _): &(String, String, String), tools: &[ScriptedTool]) -> ContentPart {
    let tool = tools.iter().find(|tool| tool.spec.name == *name);
    let output = tool.and_then(|tool| tool.results.borrow_mut().pop_front());
    ContentPart::ToolResult {
        tool_call_id: id.clone(),
        tool_name: name.clone(),
        output: output.unwrap_or_else(|| ToolOutput::error(format!("no tool {name}"))),
        agents: Default::default(),
        provider_options: None,
    }
}

/// The answer as content of the next request: blocks in the order they began, each with its last metadata.
pub(crate) fn assistant_parts(parts: &[StreamPart]) -> Vec<ContentPart> {
    let mut content: Vec<(String, ContentPart)> = Vec::new();
    for part in parts {
        match part {
            StreamPart::TextStart { id, provider_metadata } => {
                let part = ContentPart::Text { text: "".into(), provider_options: provider_metadata.clone() };
                content.push((format!("text {id}"), part));
            }
            StreamPart::ReasoningStart { id, provider_metadata } => {
                let part = ContentPart::Reasoning { text: "".into(), provider_options: provider_metadata.clone() };
                content.push((format!("reasoning {id}"), part));
            }
            StreamPart::TextDelta { id, delta, provider_metadata } => {
                extend(&mut content, &format!("text {id}"), delta, provider_metadata.as_ref());
            }
            StreamPart::TextEnd { id, provider_metadata } => {
                extend(&mut content, &format!("text {id}"), "", provider_metadata.as_ref());
            }
            StreamPart::ReasoningDelta { id, delta, provider_metadata } => {
                extend(&mut content, &format!("reasoning {id}"), delta, provider_metadata.as_ref());
            }
            StreamPart::ReasoningEnd { id, provider_metadata } => {
                extend(&mut content, &format!("reasoning {id}"), "", provider_metadata.as_ref());
            }
            StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata, .. } => {
                let input = ToolInput::from_text(input);
                let part = ContentPart::ToolCall {
                    tool_call_id: tool_call_id.clone(),
                    tool_name: tool_name.clone(),
                    input,
                    provider_executed: false,
                    provider_options: provider_metadata.clone(),
                };
                content.push((String::new(), part));
            }
            _ => {}
        }
    }
    content.into_iter().map(|(_, part)| part).collect()
}

fn extend(content: &mut [(String, ContentPart)], key: &str, delta: &str, metadata: Option<&ProviderOptions>) {
    let block = content.iter_mut().rev().find(|(known, _)| known == key).expect("a block begins with its start");
    let (ContentPart::Text { text, provider_options } | ContentPart::Reasoning { text, provider_options }) =
        &mut block.1
    else {
        return;
    };
    text.push_str(delta);
    if let Some(metadata) = metadata {
        *provider_options = Some(metadata.clone());
    }
}
