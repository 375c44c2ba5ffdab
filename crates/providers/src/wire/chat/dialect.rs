//! Variants of the chat completions API.

use crate::identifiers::Identifiers;

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

    pub(super) fn identifiers(&self, model_id: &str) -> Identifiers {
        let model_id = model_id.to_ascii_lowercase();
        match self {
            Dialect::OpenAi => Identifiers::OPENAI_CHAT,
            Dialect::Groq => Identifiers::OPENAI,
            Dialect::Mistral => Identifiers::MISTRAL,
            // Servers that use Mistral's tokenizer check the ids as Mistral does.
            Dialect::Compatible(_) if is_of_mistral(&model_id) => Identifiers::MISTRAL,
            Dialect::Compatible(name) if name == "moonshot" || model_id.contains("kimi") => Identifiers::MOONSHOT,
            Dialect::Compatible(_) => Identifiers::COMPATIBLE,
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
            Dialect::Compatible(_) => !is_of_mistral(&model_id.to_ascii_lowercase()),
        }
    }
}

/// Mistral, Ministral, Devstral and others.
fn is_of_mistral(model_id: &str) -> bool {
    model_id.contains("stral")
}
