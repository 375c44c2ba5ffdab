//! Servers on this machine and their models, as data.

use std::fmt;

/// The name in model strings.
pub(crate) const LOCAL: &str = "local";

/// A model that a server on this machine has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalEntry {
    /// The provider whose model it is: `ollama`, `lmstudio`, …
    pub provider: &'static str,
    pub id: String,
    /// In bytes; estimated from its name where the server does not say it.
    pub size: Option<u64>,
    pub is_loaded: bool,
    /// Whether it can call tools, if the server says so.
    pub can_call_tools: Option<bool>,
    /// Whether it makes vectors only.
    pub only_embeds: bool,
    /// Whether the server passes requests on to a service elsewhere.
    pub is_remote: bool,
}

/// A server that was asked for its models.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalServer {
    pub provider: &'static str,
    pub vendor: &'static str,
    pub address: String,
    /// `None` if nothing that lists models has answered there.
    pub models: Option<Vec<LocalEntry>>,
}

impl LocalEntry {
    /// The model string that names this model.
    pub fn name(&self) -> String {
        format!("{}:{}", self.provider, self.id)
    }
}

/// A server to ask.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub provider: &'static str,
    pub vendor: &'static str,
    pub url: String,
    pub key: Option<String>,
}

impl fmt::Debug for Target {
    // Without the key, and without a password in the address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target").field("provider", &self.provider).finish_non_exhaustive()
    }
}
