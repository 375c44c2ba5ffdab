//! Types of the catalogue's rows.

use std::collections::BTreeMap;

use crate::provider::{
    ProviderContext, ProviderError,
    auth::{Auth, KeyHeader},
    settings::{ProviderSettings, Setting},
    wire::WireFormat,
};

pub(crate) struct Provider {
    /// The part of a model string before the colon, and the name of the function that `lmthing` exports.
    pub(crate) name: &'static str,
    /// Exported functions that take explicit settings; the later ones are aliases of the first.
    pub(crate) factories: &'static [&'static str],
    /// The provider's APIs; each can be requested by name, as in `openai.chat('gpt-4o')`.
    pub(crate) apis: &'static [Api],
    pub(crate) default_api: &'static str,
    pub(crate) vendor: &'static str,
    pub(crate) base_url: &'static str,
    pub(crate) key_header: KeyHeader,
    pub(crate) get_key_at: &'static str,
    /// The prefix of its variables, which no custom provider may use.
    pub(crate) prefix: &'static str,
    pub(crate) variables: &'static [Variable],
    /// Sets of settings, each of which is sufficient for requests.
    pub(crate) sufficient_settings: &'static [&'static [Setting]],
    pub(crate) connect: fn(&Setup<'_>) -> Result<Connection, ProviderError>,
}

pub(crate) struct Api {
    pub(crate) name: &'static str,
    pub(crate) wire: fn(&ProviderSettings) -> Box<dyn WireFormat>,
}

pub(crate) struct Variable {
    pub name: &'static str,
    pub setting: Setting,
    pub optional: bool,
}

pub(super) const fn required(name: &'static str, setting: Setting) -> Variable {
    Variable { name, setting, optional: false }
}

pub(super) const fn optional(name: &'static str, setting: Setting) -> Variable {
    Variable { name, setting, optional: true }
}

pub(crate) struct Setup<'a> {
    pub provider: &'static Provider,
    pub settings: &'a ProviderSettings,
    pub context: &'a ProviderContext,
    pub model_id: &'a str,
}

pub(crate) struct Connection {
    pub provider: String,
    pub base_url: String,
    pub auth: Auth,
    pub headers: BTreeMap<String, String>,
    pub key_is_optional: bool,
}

impl Provider {
    pub(crate) fn api(&self, name: &str) -> Option<&'static Api> {
        let name = if name.is_empty() { self.default_api } else { name };
        self.apis.iter().find(|api| api.name == name)
    }

    pub(crate) fn variable(&self, setting: Setting) -> Option<&'static str> {
        self.variables.iter().find(|variable| variable.setting == setting).map(|variable| variable.name)
    }
}
