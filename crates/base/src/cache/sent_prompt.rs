//! A request as it was sent, to compare it with the next.

use std::rc::Rc;

use crate::chat::{CallSettings, ContentPart, PromptMessages, ToolSpec, Usage};

/// What a prompt cache sees of a request. Everything is shared with the step.
#[derive(Clone, Debug, Default)]
pub struct SentPrompt {
    /// The model that answered, as `provider:model`.
    pub model: Rc<str>,
    pub messages: PromptMessages,
    /// `None` for a model that reads no requests; then there are only names.
    pub tools: Option<Rc<[ToolSpec]>>,
    pub active_tools: Rc<[String]>,
    pub settings: Rc<CallSettings>,
    /// The length of the request, if the provider has counted it ([`request_length`]).
    pub input_tokens: Option<u64>,
}

/// A place in a request, in the order of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    Start,
    /// Before the tool of this index.
    Tool(usize),
    /// At this byte of the system message.
    System(usize),
    /// Before the message of this index; the system message is not counted.
    Message(usize),
    End,
}

/// The length of a request by its answer. `None` where the provider has run tools of its own for the answer: it then counts
/// the requests that it made to itself as well.
pub fn request_length(answer: &[ContentPart], usage: &Usage) -> Option<u64> {
    let has_run_tools = usage.web_searches.is_some_and(|searches| searches > 0)
        || answer.iter().any(|part| matches!(part, ContentPart::ToolCall { provider_executed: true, .. }));
    usage.input_tokens.filter(|_| !has_run_tools)
}
