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
}
