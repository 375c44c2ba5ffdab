//! Variants of the chat completions API.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    OpenAi,
    Groq,
    Mistral,
    Compatible(String),
}

impl Dialect {
    pub(super) fn name(&self) -> &str {
        match self {
            Dialect::OpenAi => "openai",
            Dialect::Groq => "groq",
            Dialect::Mistral => "mistral",
            Dialect::Compatible(name) => name,
        }
    }

    /// Whether images of tool results can be sent in a user message after them. Models without vision refuse the
    /// whole request.
    pub(super) fn accepts_result_images(&self, model_id: &str) -> bool {
        match self {
            Dialect::OpenAi => true,
            // Most of Groq's models have no vision.
            Dialect::Groq => model_id.contains("llama-4") || model_id.contains("vision"),
            // Mistral's models, on any server, refuse a user message after a result.
            Dialect::Mistral => false,
            Dialect::Compatible(_) => !model_id.to_ascii_lowercase().contains("stral"),
        }
    }
}
