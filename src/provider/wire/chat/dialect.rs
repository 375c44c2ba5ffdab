//! The relatives of the chat completions API.

/// Which relative of the chat completions API is spoken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    OpenAi,
    Groq,
    Mistral,
    /// A custom server; the name is the provider's, under which `providerOptions` are found.
    Compatible(String),
}

impl Dialect {
    /// The provider's name, under which options and metadata are found.
    pub(super) fn name(&self) -> &str {
        match self {
            Dialect::OpenAi => "openai",
            Dialect::Groq => "groq",
            Dialect::Mistral => "mistral",
            Dialect::Compatible(name) => name,
        }
    }

    /// Whether a model may be shown the pictures of results, in a message of the user behind them. What only takes text refuses
    /// the whole request.
    pub(super) fn sees_pictures_of_results(&self, model_id: &str) -> bool {
        match self {
            Dialect::OpenAi => true,
            // Most of what groq serves cannot see.
            Dialect::Groq => model_id.contains("llama-4") || model_id.contains("vision"),
            // Mistral's models, which have these names wherever they are served, want no message of the user behind a result.
            Dialect::Mistral => false,
            Dialect::Compatible(_) => !model_id.to_ascii_lowercase().contains("stral"),
        }
    }
}
