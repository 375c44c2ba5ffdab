//! The list for `lmthing models`: providers, aliases and whether each is configured. Contains no values of variables.

use super::{
    Env, ProviderContext, ProviderError,
    address::Address,
    auth,
    catalog::{self, CustomProvider, Provider},
    resolve::{expand_alias, model_name, resolve},
    settings::Setting,
};
use lmthing_base::diagnostic::Diagnostic;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelList {
    pub providers: Vec<ProviderInfo>,
    pub aliases: Vec<AliasInfo>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderInfo {
    pub name: String,
    pub custom: bool,
    pub configured: bool,
    /// Whether a request may find credentials that nothing here shows.
    pub may_find_credentials: bool,
    /// Whether it is a server of the user's own, which may be used without a key.
    pub needs_no_key: bool,
    pub variables: Vec<VariableInfo>,
    pub wrong: Option<String>,
    pub get_key_at: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableInfo {
    pub name: String,
    pub set: bool,
    pub optional: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasInfo {
    pub name: String,
    pub variable: String,
    pub target: Result<String, ProviderError>,
}

pub fn list_models(context: &ProviderContext) -> ModelList {
    let env = &*context.env;
    let custom: Vec<_> = catalog::custom_providers(env).into_iter().map(|provider| custom(provider, env)).collect();
    let is_replaced = |provider: &&Provider| custom.iter().any(|custom| custom.name == provider.name);
    let known = catalog::providers().filter(|provider| !is_replaced(provider));
    let providers = known.map(|provider| built_in(provider, context)).collect::<Vec<_>>();
    let providers = [providers, custom].concat();
    let mut aliases: Vec<AliasInfo> = env
        .names()
        .into_iter()
        .filter(|name| is_set(name, env))
        .filter_map(|variable| {
            let name = variable.strip_prefix("LM_MODEL_").filter(|name| !name.is_empty())?.to_lowercase();
            // The value may contain a key by mistake.
            let target = target(&name, context).map_err(|error| context.redactor.error(error));
            Some(AliasInfo { name, variable, target })
        })
        .collect();
    aliases.sort_by(|a, b| a.name.cmp(&b.name));
    ModelList { providers, aliases }
}

impl ProviderInfo {
    /// Says what a model of it lacks, if it is not configured.
    pub fn missing_key(&self, model: &str) -> Option<Diagnostic> {
        if self.configured {
            return None;
        }
        let missing = self.variables.iter().filter(|variable| !variable.optional && !variable.set);
        let missing: Vec<&str> = missing.map(|variable| variable.name.as_str()).collect();
        let what = if missing.is_empty() { String::new() } else { format!(": {} is not set", missing.join(", ")) };
        let keys = self.get_key_at.map_or_else(String::new, |place| format!("; keys are at {place}"));
        let problem = Diagnostic::new(format!("there is no key for {model}{what}"));
        Some(problem.with_hint(format!("set it in the environment or in .env{keys}")))
    }
}

/// The provider of a model string with an id, if it exists and only lacks its key or settings.
pub fn provider_of(model: &str, context: &ProviderContext) -> Option<ProviderInfo> {
    let target = model_name(model, context);
    let (provider, id) = target.split_once(':')?;
    let known = list_models(context).providers.into_iter().find(|known| known.name == provider)?;
    (!id.is_empty() && known.wrong.is_none()).then_some(known)
}

/// A provider with a key, which may lack other settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedProvider {
    pub name: String,
    /// The id of the model to ask when none is named.
    pub usual_model: Option<&'static str>,
}

/// The providers with a key in the environment, without servers of the user's own, which need none.
pub fn providers_with_keys(context: &ProviderContext) -> Vec<KeyedProvider> {
    let env = &*context.env;
    let custom = catalog::custom_providers(env);
    let has_key = |provider: &Provider| {
        let has = |setting| provider.set_variable(setting, env).is_some();
        has(Setting::ApiKey) || has(Setting::AccessKeyId) && has(Setting::SecretAccessKey)
    };
    let known = catalog::providers().filter(|provider| {
        let is_replaced = custom.iter().any(|custom| custom.name == provider.name);
        !is_replaced && !provider.needs_no_key() && has_key(provider)
    });
    let known = known.map(|provider| KeyedProvider {
        name: provider.name.to_owned(),
        usual_model: catalog::usual_model(provider.name),
    });
    let own = custom.iter().filter(|custom| custom.has_key());
    known.chain(own.map(|custom| KeyedProvider { name: custom.name.clone(), usual_model: None })).collect()
}

/// The end of an alias chain. Missing settings of its provider are no error here: the provider's row shows them.
fn target(alias: &str, context: &ProviderContext) -> Result<String, ProviderError> {
    let target = expand_alias(alias, context)?;
    let provider = target.split(':').next().unwrap_or_default();
    let custom = || catalog::custom_providers(&*context.env).into_iter().any(|custom| custom.name == provider);
    let known = catalog::named(provider).is_some() || custom();
    match resolve(&target, context) {
        Err(error) if !known || target.ends_with(':') => Err(error),
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
    let base_url = provider.set_variable(Setting::BaseUrl, env);
    let address = base_url.as_ref().map(|(_, value)| Address::parse(&provider.url_of(value)));
    // User name and password in the URL replace a key.
    let has_user = matches!(&address, Some(Ok(address)) if address.basic_authentication().is_some());
    let set = |setting: &Setting| {
        provider.variables_of(*setting).any(|name| is_set(name, env)) || (*setting == Setting::ApiKey && has_user)
    };
    let wrong = base_url.filter(|_| matches!(address, Some(Err(_)))).map(|(name, _)| name.to_owned());
    let is_sufficient = provider.sufficient_settings.iter().any(|settings| settings.iter().all(set));
    ProviderInfo {
        name: provider.name.to_owned(),
        custom: false,
        needs_no_key: provider.needs_no_key(),
        may_find_credentials: auth::may_find_credentials(provider.name),
        configured: wrong.is_none() && (is_sufficient || auth::is_set_up(provider.name, &context.env)),
        wrong,
        variables: provider
            .variables
            .iter()
            .map(|known| variable(known.name.to_owned(), known.optional, env))
            .collect(),
        get_key_at: Some(provider.get_key_at).filter(|page| !page.is_empty()),
    }
}

fn custom(provider: CustomProvider, env: &dyn Env) -> ProviderInfo {
    let wrong = Address::parse(provider.base_url()).is_err().then(|| provider.base_url_variable());
    ProviderInfo {
        custom: true,
        needs_no_key: false,
        may_find_credentials: false,
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
    fn configuration_is_listed_without_values() {
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
        assert_eq!(configured, ["openai", "groq", "lmstudio", "llamacpp", "docker", "lab", "ollama"]);
        let wrong: Vec<_> = list.providers.iter().filter_map(|provider| provider.wrong.as_deref()).collect();
        assert_eq!(wrong, ["MISTRAL_BASE_URL", "VLLM_API_BASE"]);
        let aliases: Vec<(&str, bool)> =
            list.aliases.iter().map(|alias| (alias.name.as_str(), alias.target.is_ok())).collect();
        assert_eq!(aliases, [("fast", true), ("lost", false), ("small", true), ("typo", false)]);
        assert_eq!(list.aliases[0].target.as_deref(), Ok("lab:tiny"));
        assert!(!format!("{list:?}").contains("secret"), "{list:?}");
    }
}
