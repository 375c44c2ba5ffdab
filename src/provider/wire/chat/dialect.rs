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
