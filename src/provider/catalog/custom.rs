//! Custom providers: OpenAI-compatible servers that the environment names.

use super::built_in::{BUILT_IN, built_in};
use crate::provider::{Env, settings::ProviderSettings};

/// What the variables of a custom provider end in, and whether it can do without.
const VARIABLES: [(&str, bool); 4] = [("API_KEY", true), ("API_BASE", false), ("API_TYPE", false), ("API_NAME", true)];

/// An OpenAI-compatible provider set up by `{NAME}_API_BASE`, `{NAME}_API_TYPE=openai` and, where the server wants one,
/// `{NAME}_API_KEY`.
pub(crate) struct Custom {
    /// What stands before the colon of a model string.
    pub name: String,
    /// What its variables begin with.
    prefix: String,
    api_key: Option<String>,
    base_url: String,
}

impl Custom {
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The variable that its base URL comes from.
    pub(crate) fn base_url_variable(&self) -> String {
        format!("{}_API_BASE", self.prefix)
    }

    /// Its variables, each with whether the provider can do without it.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (String, bool)> {
        VARIABLES.iter().map(|(ending, optional)| (format!("{}_{ending}", self.prefix), *optional))
    }

    /// The settings of an OpenAI-compatible provider that stand for it.
    pub(crate) fn into_settings(self) -> ProviderSettings {
        ProviderSettings {
            name: Some(self.name),
            api_key: self.api_key,
            base_url: Some(self.base_url),
            // As the TypeScript version sends it; servers that do not know it ignore it.
            query: Some("api-version=1.0.0".to_owned()),
            ..ProviderSettings::default()
        }
    }
}

/// The custom providers, sorted by prefix; those named like a built-in one are left out.
pub(crate) fn custom_providers(env: &dyn Env) -> Vec<Custom> {
    let mut names = env.names();
    // The environment has no order; a list that people read has one.
    names.sort();
    names.iter().filter_map(|variable| custom(env, variable)).collect()
}

fn custom(env: &dyn Env, variable: &str) -> Option<Custom> {
    let prefix = variable.strip_suffix("_API_BASE")?;
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    // `OPENAI_API_BASE` and `OPENAI_API_TYPE` are old names of openai's own settings: they must not make a second
    // openai.
    let taken = BUILT_IN.iter().any(|provider| provider.prefix == prefix);
    if prefix.is_empty() || !prefix.bytes().all(allowed) || taken {
        return None;
    }
    let set = |ending: &str| env.get(&format!("{prefix}_{ending}")).filter(|value| !value.is_empty());
    let (api_key, base_url) = (set("API_KEY"), set("API_BASE")?);
    if set("API_TYPE")?.trim() != "openai" {
        return None;
    }
    let name = set("API_NAME").unwrap_or_else(|| prefix.to_ascii_lowercase());
    built_in(&name).is_none().then(|| Custom { name, prefix: prefix.to_owned(), api_key, base_url })
}

/// A name as a part of a variable's name: what a shell refuses there becomes `_`.
pub(crate) fn shell_name(name: &str) -> String {
    name.to_uppercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
