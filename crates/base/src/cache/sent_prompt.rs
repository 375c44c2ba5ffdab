//! A request as it was sent, to compare it with the next.

use std::rc::Rc;

use crate::chat::{CallSettings, PromptMessages, ToolSpec};

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
    /// The length of the request, if the provider has counted it.
    pub input_tokens: Option<u64>,
}
