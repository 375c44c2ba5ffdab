//! Custom providers: OpenAI-compatible servers that environment variables define.

use super::built_in::{BUILT_IN, built_in};
use crate::{Env, settings::ProviderSettings};

const VARIABLES: [(&str, bool); 4] = [("API_KEY", true), ("API_BASE", false), ("API_TYPE", false), ("API_NAME", true)];

pub(crate) struct CustomProvider {
    pub name: String,
    prefix: String,
    api_key: Option<String>,
    base_url: String,
}

impl CustomProvider {
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) fn has_key(&self) -> bool {
        self.api_key.is_some()
    }

    pub(crate) fn base_url_variable(&self) -> String {
        format!("{}_API_BASE", self.prefix)
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (String, bool)> {
        VARIABLES.iter().map(|(ending, optional)| (format!("{}_{ending}", self.prefix), *optional))
    }

    pub(crate) fn into_settings(self) -> ProviderSettings {
        ProviderSettings {
            name: Some(self.name),
            api_key: self.api_key,
            base_url: Some(self.base_url),
            ..ProviderSettings::default()
        }
    }
}

pub(crate) fn custom_providers(env: &dyn Env) -> Vec<CustomProvider> {
    let mut names = env.names();
    names.sort();
    names.iter().filter_map(|variable| custom(env, variable)).collect()
}

fn custom(env: &dyn Env, variable: &str) -> Option<CustomProvider> {
    let prefix = variable.strip_suffix("_API_BASE")?;
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    // `OPENAI_API_BASE` and `OPENAI_API_TYPE` are old settings of openai itself and must not define a second openai.
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
    built_in(&name).is_none().then(|| CustomProvider { name, prefix: prefix.to_owned(), api_key, base_url })
}

/// The name in upper case, with `_` for characters that shells do not allow in names of variables.
pub(crate) fn shell_name(name: &str) -> String {
    name.to_uppercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
