//! Types of the catalogue's rows.

use std::collections::BTreeMap;

use super::ollama_host::ollama_url;
use crate::{
    Env, ProviderContext, ProviderError,
    auth::{Auth, KeyHeader},
    settings::{ProviderSettings, Setting},
    wire::WireFormat,
};

pub struct Provider {
    /// The part of a model string before the colon, and the name of the function that `lmthing` exports.
    pub name: &'static str,
    /// Exported functions that take explicit settings; the later ones are aliases of the first.
    pub factories: &'static [&'static str],
    /// The provider's APIs; each can be requested by name, as in `openai.chat('gpt-4o')`.
    pub apis: &'static [Api],
    pub default_api: &'static str,
    pub vendor: &'static str,
    pub base_url: &'static str,
    pub key_header: KeyHeader,
    pub get_key_at: &'static str,
    /// The prefix of its variables, which no custom provider may use.
    pub prefix: &'static str,
    pub variables: &'static [Variable],
    /// Sets of settings, each of which is sufficient for requests.
    pub sufficient_settings: &'static [&'static [Setting]],
    pub connect: fn(&Setup<'_>) -> Result<Connection, ProviderError>,
}

pub struct Api {
    pub name: &'static str,
    pub wire: fn(&ProviderSettings) -> Box<dyn WireFormat>,
}

pub struct Variable {
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

pub struct Setup<'a> {
    pub provider: &'static Provider,
    pub settings: &'a ProviderSettings,
    pub context: &'a ProviderContext,
    pub model_id: &'a str,
}

pub struct Connection {
    pub provider: String,
    pub base_url: String,
    pub auth: Auth,
    pub headers: BTreeMap<String, String>,
    pub key_is_optional: bool,
}

impl Provider {
    pub fn api(&self, name: &str) -> Option<&'static Api> {
        let name = if name.is_empty() { self.default_api } else { name };
        self.apis.iter().find(|api| api.name == name)
    }

    /// The usual variable of a setting.
    pub fn variable(&self, setting: Setting) -> Option<&'static str> {
        self.variables_of(setting).next()
    }

    /// All variables of a setting; the first one that is set wins.
    pub fn variables_of(&self, setting: Setting) -> impl Iterator<Item = &'static str> {
        self.variables.iter().filter(move |variable| variable.setting == setting).map(|variable| variable.name)
    }

    /// The first variable of a setting that is not blank, and its value.
    pub(crate) fn set_variable(&self, setting: Setting, env: &dyn Env) -> Option<(&'static str, String)> {
        let value = |name: &str| env.get(name).filter(|value| !value.trim().is_empty());
        self.variables_of(setting).find_map(|name| Some((name, value(name)?)))
    }

    /// The URL that the value of a variable for the address stands for.
    pub(crate) fn url_of(&self, value: &str) -> String {
        if self.name == "ollama" { ollama_url(value) } else { value.to_owned() }
    }

    /// Whether it is a server of the user's own, which is used without a key.
    pub fn needs_no_key(&self) -> bool {
        self.sufficient_settings.iter().any(|settings| settings.is_empty())
    }
}
