//! Hints for model strings with unknown providers.

use super::{built_in::built_in, custom::custom_providers, named, providers, services::Service};
use crate::{Env, ProviderError, ProviderErrorKind};

const OTHER_NAMES: [(&str, &str); 35] = [
    ("gpt", "openai"),
    ("chatgpt", "openai"),
    ("open-ai", "openai"),
    ("claude", "anthropic"),
    ("gemini", "google"),
    ("googleai", "google"),
    ("google-ai", "google"),
    ("vertexai", "vertex"),
    ("vertex-ai", "vertex"),
    ("google-vertex", "vertex"),
    ("azure-openai", "azure"),
    ("azureopenai", "azure"),
    ("aws", "bedrock"),
    ("amazon", "bedrock"),
    ("amazon-bedrock", "bedrock"),
    ("grok", "xai"),
    ("x-ai", "xai"),
    ("open-router", "openrouter"),
    ("togetherai", "together"),
    ("together-ai", "together"),
    ("fireworks-ai", "fireworks"),
    ("fireworksai", "fireworks"),
    ("moonshotai", "moonshot"),
    ("kimi", "moonshot"),
    ("zhipu", "zai"),
    ("glm", "zai"),
    ("z-ai", "zai"),
    ("nim", "nvidia"),
    ("hf", "huggingface"),
    ("hugging-face", "huggingface"),
    ("lm-studio", "lmstudio"),
    ("llama.cpp", "llamacpp"),
    ("llama-cpp", "llamacpp"),
    ("llamafile", "llamacpp"),
    ("pplx", "perplexity"),
];

/// Prefixes of model ids whose provider is obvious.
const FAMILIES: [(&str, &str); 21] = [
    ("gpt-", "openai"),
    ("chatgpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("codex-", "openai"),
    ("claude-", "anthropic"),
    ("gemini-", "google"),
    ("gemma-", "google"),
    ("mistral-", "mistral"),
    ("codestral-", "mistral"),
    ("ministral-", "mistral"),
    ("magistral-", "mistral"),
    ("pixtral-", "mistral"),
    ("command-", "cohere"),
    ("anthropic.", "bedrock"),
    ("amazon.", "bedrock"),
    ("grok-", "xai"),
    ("deepseek-", "deepseek"),
    ("kimi-", "moonshot"),
    ("sonar", "perplexity"),
];

pub(crate) fn unknown_provider(name: &str, model: &str, env: &dyn Env) -> ProviderError {
    let names = known_names(env);
    let message = format!("Unknown provider: \"{name}\". Available providers: {}", names.join(", "));
    ProviderError::new(ProviderErrorKind::Configuration, name, model, message).with_hint(hint(name, model, &names, env))
}

pub(crate) fn suggestion_for_alias(alias: &str, env: &dyn Env) -> Option<String> {
    let lower = alias.to_ascii_lowercase();
    if known_names(env).contains(&lower) {
        return Some(format!("\"{alias}\" is a provider; name one of its models behind a colon, as in {lower}:MODEL."));
    }
    // `openai/gpt-4o`, as other programs write it.
    if let Some((provider, model)) = alias.split_once('/')
        && (known_names(env).iter().any(|name| name == provider) || Service::named(provider).is_some())
    {
        return Some(format!("Did you mean \"{provider}:{model}\"?"));
    }
    let provider = FAMILIES.iter().find(|(beginning, _)| lower.starts_with(beginning)).map(|(_, provider)| provider)?;
    Some(format!("Did you mean \"{provider}:{alias}\"?"))
}

fn known_names(env: &dyn Env) -> Vec<String> {
    let mut names: Vec<String> = providers().map(|provider| provider.name.to_owned()).collect();
    let custom = custom_providers(env).into_iter().map(|custom| custom.name);
    names.extend(custom.filter(|name| named(name).is_none()));
    names
}

fn hint(name: &str, model: &str, names: &[String], env: &dyn Env) -> String {
    let lower = name.to_ascii_lowercase();
    let did_you_mean = |provider: &str| match model {
        "" => format!("Did you mean \"{provider}\"?"),
        model => format!("Did you mean \"{provider}:{model}\"?"),
    };
    if let Some(half) = incomplete_definition(name, env) {
        return half;
    }
    if let Some(same) = names.iter().find(|known| **known == lower) {
        return did_you_mean(same);
    }
    if let Some((_, provider)) = OTHER_NAMES.iter().find(|(other, _)| *other == lower) {
        return did_you_mean(provider);
    }
    // Before similar names: grok is not groq.
    if let Some(service) = Service::named(&lower) {
        return format!("It can be used as a custom provider. {}", service.definition(name));
    }
    if let Some((row, api)) = name.split_once('.')
        && let Some(provider) = built_in(row)
    {
        return format!(
            "A model string names no API; write {}.{api}('{}') from 'lmthing' in place of the string.",
            provider.name,
            if model.is_empty() { "MODEL" } else { model }
        );
    }
    let near = names.iter().min_by_key(|known| strsim::damerau_levenshtein(known, &lower));
    match near {
        // Up to a third of the letters may differ.
        Some(near) if strsim::damerau_levenshtein(near, &lower) * 3 <= near.len().max(lower.len()) => {
            did_you_mean(near)
        }
        _ => {
            let prefix = variable_prefix(name);
            format!(
                "Any server that speaks OpenAI's protocol can be used: set {prefix}_API_BASE=https://…/v1, \
                 {prefix}_API_TYPE=openai and, if it wants a key, {prefix}_API_KEY (in the environment or .env)."
            )
        }
    }
}

fn incomplete_definition(name: &str, env: &dyn Env) -> Option<String> {
    let prefix = variable_prefix(name);
    let get = |ending: &str| env.get(&format!("{prefix}_{ending}")).filter(|value| !value.is_empty());
    match (get("API_BASE"), get("API_TYPE")) {
        (Some(_), None) => Some(format!("{prefix}_API_BASE is set; set {prefix}_API_TYPE=openai as well.")),
        (None, Some(_)) => {
            let base = Service::named(&name.to_ascii_lowercase()).map_or("https://…/v1", |service| service.base_url);
            Some(format!("{prefix}_API_TYPE is set; set {prefix}_API_BASE={base} as well."))
        }
        (Some(_), Some(kind)) if kind != "openai" => {
            Some(format!("{prefix}_API_TYPE must be openai, which is the only protocol custom providers speak."))
        }
        (Some(_), Some(_)) => {
            let own = get("API_NAME").filter(|own| own != name)?;
            Some(format!("{prefix}_API_NAME calls it \"{own}\"."))
        }
        (None, None) => None,
    }
}

fn variable_prefix(name: &str) -> String {
    super::custom::shell_name(name)
}
