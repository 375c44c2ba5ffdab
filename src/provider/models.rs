//! What `lmthing models` shows: providers, aliases, and whether each could be used. Values of variables are never shown.

use super::{
    Env, ProviderContext,
    address::Address,
    auth,
    catalog::{self, Custom, Provider},
    resolve::{follow_aliases, resolve},
    settings::Setting,
};

/// Everything a model string can begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelList {
    pub providers: Vec<ProviderInfo>,
    pub aliases: Vec<AliasInfo>,
}

/// A provider and its set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProviderInfo {
    pub name: String,
    /// Set up by `{NAME}_API_KEY` and its relatives, not built in.
    pub custom: bool,
    /// Whether what it needs is there; a request may still be refused.
    pub configured: bool,
    /// The variables it is set up by, and whether each is set.
    pub variables: Vec<VariableInfo>,
    /// The variable whose base URL is none; nothing can be asked then.
    pub wrong: Option<String>,
    /// Where a key can be had.
    pub get_key_at: Option<&'static str>,
}

/// A variable, without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VariableInfo {
    pub name: String,
    pub set: bool,
    /// Whether the provider can do without it: it only changes where requests go, or another default.
    pub optional: bool,
}

/// An alias and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AliasInfo {
    /// The alias in lower case, as it would be used.
    pub name: String,
    pub variable: String,
    /// The model string at the end of the chain, or what is wrong with the chain.
    pub target: Result<String, String>,
}

/// Lists all providers, built-in ones first, and all aliases by name.
pub(crate) fn list_models(context: &ProviderContext) -> ModelList {
    let env = &*context.env;
    let custom = catalog::custom_providers(env).into_iter().map(|provider| custom(provider, env));
    let providers = catalog::BUILT_IN.iter().map(|provider| built_in(provider, context)).chain(custom).collect();
    let mut aliases: Vec<AliasInfo> = env
        .names()
        .into_iter()
        .filter(|name| is_set(name, env))
        .filter_map(|variable| {
            let name = variable.strip_prefix("LM_MODEL_").filter(|name| !name.is_empty())?.to_lowercase();
            // A key may have been written where a model belongs.
            let target = target(&name, context).map_err(|why| context.redactor.apply(&why));
            Some(AliasInfo { name, variable, target })
        })
        .collect();
    aliases.sort_by(|a, b| a.name.cmp(&b.name));
    ModelList { providers, aliases }
}

/// The end of an alias's chain. Whether what stands there is set up is said of its provider.
fn target(alias: &str, context: &ProviderContext) -> Result<String, String> {
    let target = follow_aliases(alias, context).map_err(|error| error.message)?;
    let provider = target.split(':').next().unwrap_or_default();
    let custom = || catalog::custom_providers(&*context.env).into_iter().any(|custom| custom.name == provider);
    let known = catalog::built_in(provider).is_some() || custom();
    match resolve(&target, context) {
        Err(error) if !known || target.ends_with(':') => Err(error.message),
        _ => Ok(target),
    }
}

fn is_set(variable: &str, env: &dyn Env) -> bool {
    env.get(variable).is_some_and(|value| !value.trim().is_empty())
}

fn variable(name: String, optional: bool, env: &dyn Env) -> VariableInfo {
    VariableInfo { set: is_set(&name, env), name, optional }
}

fn built_in(provider: &Provider, context: &ProviderContext) -> ProviderInfo {
    let env = &*context.env;
    let base_url = provider.variable(Setting::BaseUrl).filter(|name| is_set(name, env));
    let address = base_url.map(|name| Address::parse(&env.get(name).unwrap_or_default()));
    // User name and password of the address stand for a key.
    let has_user = matches!(&address, Some(Ok(address)) if address.basic_authentication().is_some());
    let set = |setting: &Setting| {
        provider.variable(*setting).is_some_and(|name| is_set(name, env)) || (*setting == Setting::ApiKey && has_user)
    };
    let wrong = base_url.filter(|_| matches!(address, Some(Err(_)))).map(str::to_owned);
    let is_enough = provider.enough.iter().any(|settings| settings.iter().all(set));
    ProviderInfo {
        name: provider.name.to_owned(),
        custom: false,
        configured: wrong.is_none() && (is_enough || auth::is_set_up(provider.name, &context.env)),
        wrong,
        variables: provider
            .variables
            .iter()
            .map(|known| variable(known.name.to_owned(), known.optional, env))
            .collect(),
        get_key_at: Some(provider.get_key_at),
    }
}

fn custom(provider: Custom, env: &dyn Env) -> ProviderInfo {
    let wrong = Address::parse(provider.base_url()).is_err().then(|| provider.base_url_variable());
    ProviderInfo {
        custom: true,
        // Without what it needs it would not be a provider.
        configured: wrong.is_none(),
        wrong,
        variables: provider.variables().map(|(name, optional)| variable(name, optional, env)).collect(),
        name: provider.name,
        get_key_at: None,
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, rc::Rc};

    use super::*;

    #[test]
    fn set_up_is_told_and_no_value_is_shown() {
        let env: BTreeMap<String, String> = [
            ("OPENAI_API_KEY", "sk-very-secret"),
            ("AWS_ACCESS_KEY_ID", "id-without-secret"),
            ("AZURE_API_KEY", "az-secret"),
            ("LAB_API_KEY", "lab-secret"),
            ("LAB_API_BASE", "https://lab.example"),
            ("LAB_API_TYPE", "openai"),
            ("LM_MODEL_FAST", "small"),
            ("LM_MODEL_SMALL", "lab:tiny"),
            ("LM_MODEL_LOST", "nowhere"),
            ("LM_MODEL_TYPO", "opnai:gpt-4o"),
            ("OLLAMA_API_BASE", "http://localhost:11434/v1"),
            ("OLLAMA_API_TYPE", "openai"),
            ("VLLM_API_BASE", "user:pass-secret@localhost"),
            ("VLLM_API_TYPE", "openai"),
            ("GROQ_BASE_URL", "http://me:pass-secret@gateway.test/v1"),
            ("MISTRAL_API_KEY", "m-secret"),
            ("MISTRAL_BASE_URL", "me:pass-secret@gateway.test"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let list = list_models(&ProviderContext::new(Rc::new(env)));
        let configured: Vec<&str> =
            list.providers.iter().filter(|p| p.configured).map(|provider| provider.name.as_str()).collect();
        assert_eq!(configured, ["openai", "groq", "lab", "ollama"]);
        let wrong: Vec<_> = list.providers.iter().filter_map(|provider| provider.wrong.as_deref()).collect();
        assert_eq!(wrong, ["MISTRAL_BASE_URL", "VLLM_API_BASE"]);
        let aliases: Vec<(&str, bool)> =
            list.aliases.iter().map(|alias| (alias.name.as_str(), alias.target.is_ok())).collect();
        assert_eq!(aliases, [("fast", true), ("lost", false), ("small", true), ("typo", false)]);
        assert_eq!(list.aliases[0].target.as_deref(), Ok("lab:tiny"));
        assert!(!format!("{list:?}").contains("secret"), "{list:?}");
    }
}
