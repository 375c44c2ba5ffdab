//! What `lmthing models` shows: providers, aliases, and whether each could be used. Values of variables are never shown.

use super::{Env, ProviderContext, catalog, resolve::follow_aliases};

/// Everything a model string can begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelList {
    pub providers: Vec<ProviderInfo>,
    pub aliases: Vec<AliasInfo>,
}

/// A provider and its set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderInfo {
    pub name: String,
    /// Set up by `{NAME}_API_KEY` and its relatives, not built in.
    pub custom: bool,
    /// Whether what it needs is there; a request may still be refused.
    pub configured: bool,
    /// The variables it is set up by, and whether each is set.
    pub variables: Vec<VariableInfo>,
    /// Where a key can be had; empty for custom providers.
    pub get_key_at: &'static str,
}

/// A variable, without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableInfo {
    pub name: String,
    pub set: bool,
}

/// An alias and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasInfo {
    /// The alias in lower case, as it would be used.
    pub name: String,
    pub variable: String,
    /// The model string at the end of the chain, or what is wrong with the chain.
    pub target: Result<String, String>,
}

/// Lists all providers, built-in ones first, and all aliases by name.
pub fn list_models(context: &ProviderContext) -> ModelList {
    let env = &*context.env;
    let mut providers: Vec<ProviderInfo> = catalog::BUILT_IN.iter().map(|provider| built_in(provider, env)).collect();
    providers.extend(catalog::custom_providers(env).into_iter().map(|custom| {
        ProviderInfo {
            configured: true,
            custom: true,
            variables: ["API_KEY", "API_BASE", "API_TYPE", "API_NAME"]
                .map(|suffix| variable(&format!("{}_{suffix}", custom.prefix), env))
                .into(),
            name: custom.name,
            get_key_at: "",
        }
    }));
    let mut aliases: Vec<AliasInfo> = env
        .names()
        .into_iter()
        .filter(|name| env.get(name).is_some_and(|value| !value.is_empty()))
        .filter_map(|variable| {
            let name = variable.strip_prefix("LM_MODEL_").filter(|name| !name.is_empty())?.to_lowercase();
            let target = follow_aliases(&name, context).map_err(|error| error.message);
            Some(AliasInfo { name, variable, target })
        })
        .collect();
    aliases.sort_by(|a, b| a.name.cmp(&b.name));
    ModelList { providers, aliases }
}

fn variable(name: &str, env: &dyn Env) -> VariableInfo {
    VariableInfo { name: name.to_owned(), set: env.get(name).is_some_and(|value| !value.is_empty()) }
}

fn built_in(provider: &catalog::BuiltIn, env: &dyn Env) -> ProviderInfo {
    let set = |name: &str| variable(name, env).set;
    let key = provider.key_variable;
    let (configured, more): (bool, &[&str]) = match provider.name {
        "azure" => {
            (set(key) && (set("AZURE_RESOURCE_NAME") || set(provider.base_url_variable)), &["AZURE_RESOURCE_NAME"])
        }
        "bedrock" => (
            set("AWS_BEARER_TOKEN_BEDROCK") || (set(key) && set("AWS_SECRET_ACCESS_KEY")),
            &["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK"],
        ),
        "vertex" => (
            set(key) || set("GOOGLE_VERTEX_PROJECT"),
            &["GOOGLE_VERTEX_PROJECT", "GOOGLE_VERTEX_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS"],
        ),
        _ => (set(key), &[]),
    };
    let names = std::iter::once(key).chain(more.iter().copied()).chain([provider.base_url_variable]);
    ProviderInfo {
        name: provider.name.to_owned(),
        custom: false,
        configured,
        variables: names.map(|name| variable(name, env)).collect(),
        get_key_at: provider.get_key_at,
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
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let list = list_models(&ProviderContext::new(Rc::new(env)));
        let configured: Vec<&str> =
            list.providers.iter().filter(|p| p.configured).map(|provider| provider.name.as_str()).collect();
        assert_eq!(configured, ["openai", "lab"]);
        let aliases: Vec<(&str, bool)> =
            list.aliases.iter().map(|alias| (alias.name.as_str(), alias.target.is_ok())).collect();
        assert_eq!(aliases, [("fast", true), ("lost", false), ("small", true)]);
        assert_eq!(list.aliases[0].target.as_deref(), Ok("lab:tiny"));
        assert!(!format!("{list:?}").contains("secret\""), "{list:?}");
    }
}
