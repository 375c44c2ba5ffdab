//! What one row of the catalogue says: its shape, and nothing about any one provider.

use std::collections::BTreeMap;

use crate::provider::{
    ProviderContext, ProviderError,
    auth::{Auth, KeyHeader},
    settings::{ProviderSettings, Setting},
    wire::WireFormat,
};

/// A provider that lmthing knows: all that has to be told to add one, beside its wire format.
pub(crate) struct Provider {
    /// What stands before the colon of a model string; also the name of the function that `lmthing` exports.
    pub(crate) name: &'static str,
    /// Functions of `lmthing` that take settings of their own; the later ones are other names of the first.
    pub(crate) factories: &'static [&'static str],
    /// What can be spoken; each can be asked for by its name, as in `openai.chat('gpt-4o')`.
    pub(crate) apis: &'static [Api],
    /// The API of a model that is asked for without naming one.
    pub(crate) default_api: &'static str,
    /// As it stands in messages about missing settings.
    pub(crate) vendor: &'static str,
    /// Where requests go unless told otherwise; `connect` fills in what stands in braces.
    pub(crate) base_url: &'static str,
    /// How the key is sent.
    pub(crate) key_header: KeyHeader,
    /// Where a key can be had, for people.
    pub(crate) get_key_at: &'static str,
    /// What its variables begin with. No custom provider may take it: `OPENAI_API_KEY` is openai's.
    pub(crate) prefix: &'static str,
    /// The variables it is set up by, in the order `lmthing models` lists them.
    pub(crate) variables: &'static [Variable],
    /// Sets of settings, each of which is all that a request needs.
    pub(crate) enough: &'static [&'static [Setting]],
    /// Finds out where requests go and how they are authorised.
    pub(crate) connect: fn(&Setup<'_>) -> Result<Connection, ProviderError>,
}

/// An API of a provider.
pub(crate) struct Api {
    /// Empty where it is the only one and nobody has to tell it from another.
    pub(crate) name: &'static str,
    /// Makes its wire format, which may depend on the settings.
    pub(crate) wire: fn(&ProviderSettings) -> Box<dyn WireFormat>,
}

/// An environment variable of a provider.
pub(crate) struct Variable {
    pub name: &'static str,
    /// What it stands in for.
    pub setting: Setting,
    /// Whether a request can be made without it, its relatives being set: it only changes a default.
    pub optional: bool,
}

/// A variable to name to somebody whose provider is not set up.
pub(super) const fn needed(name: &'static str, setting: Setting) -> Variable {
    Variable { name, setting, optional: false }
}

/// A variable that only changes a default.
pub(super) const fn optional(name: &'static str, setting: Setting) -> Variable {
    Variable { name, setting, optional: true }
}

/// A provider with its settings laid over the environment.
pub(crate) struct Setup<'a> {
    pub provider: &'static Provider,
    pub settings: &'a ProviderSettings,
    pub context: &'a ProviderContext,
    pub model_id: &'a str,
}

/// What a model needs besides its wire format.
pub(crate) struct Connection {
    /// The provider's name; a server that speaks OpenAI's protocol brings its own.
    pub provider: String,
    /// As it was given.
    pub base_url: String,
    pub auth: Auth,
    /// Headers from the settings.
    pub headers: BTreeMap<String, String>,
    /// Whether a request goes out without a key when there is none.
    pub key_is_optional: bool,
}

impl Provider {
    /// The API of this name, or the default one.
    pub(crate) fn api(&self, name: &str) -> Option<&'static Api> {
        let name = if name.is_empty() { self.default_api } else { name };
        self.apis.iter().find(|api| api.name == name)
    }

    /// The variable that stands in for a setting.
    pub(crate) fn variable(&self, setting: Setting) -> Option<&'static str> {
        self.variables.iter().find(|variable| variable.setting == setting).map(|variable| variable.name)
    }
}
