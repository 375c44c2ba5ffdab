//! Which providers there are: the built-in ones, and custom ones from the environment.

use super::{Env, ProviderError, ProviderErrorKind};

/// A provider lmthing knows.
#[derive(Debug)]
pub struct BuiltIn {
    pub name: &'static str,
    /// As it stands in the message about a missing key.
    pub(super) vendor: &'static str,
    pub(super) key_variable: &'static str,
    pub(super) key_header: &'static str,
    pub(super) base_url_variable: &'static str,
    /// Empty where the address depends on further settings.
    pub(super) default_base_url: &'static str,
    pub(super) get_key_at: &'static str,
}

/// All built-in providers, in the order messages name them.
pub static BUILT_IN: [BuiltIn; 9] = [
    BuiltIn {
        name: "openai",
        vendor: "OpenAI",
        key_variable: "OPENAI_API_KEY",
        key_header: "authorization",
        base_url_variable: "OPENAI_BASE_URL",
        default_base_url: "https://api.openai.com/v1",
        get_key_at: "https://platform.openai.com/api-keys",
    },
    BuiltIn {
        name: "anthropic",
        vendor: "Anthropic",
        key_variable: "ANTHROPIC_API_KEY",
        key_header: "x-api-key",
        base_url_variable: "ANTHROPIC_BASE_URL",
        default_base_url: "https://api.anthropic.com/v1",
        get_key_at: "https://console.anthropic.com/settings/keys",
    },
    BuiltIn {
        name: "google",
        vendor: "Google Generative AI",
        key_variable: "GOOGLE_GENERATIVE_AI_API_KEY",
        key_header: "x-goog-api-key",
        base_url_variable: "GOOGLE_GENERATIVE_AI_BASE_URL",
        default_base_url: "https://generativelanguage.googleapis.com/v1beta",
        get_key_at: "https://aistudio.google.com/apikey",
    },
    BuiltIn {
        name: "mistral",
        vendor: "Mistral",
        key_variable: "MISTRAL_API_KEY",
        key_header: "authorization",
        base_url_variable: "MISTRAL_BASE_URL",
        default_base_url: "https://api.mistral.ai/v1",
        get_key_at: "https://console.mistral.ai/api-keys",
    },
    BuiltIn {
        name: "azure",
        vendor: "Azure OpenAI",
        key_variable: "AZURE_API_KEY",
        key_header: "api-key",
        base_url_variable: "AZURE_BASE_URL",
        default_base_url: "",
        get_key_at: "https://portal.azure.com (the resource's \"Keys and Endpoint\")",
    },
    BuiltIn {
        name: "groq",
        vendor: "Groq",
        key_variable: "GROQ_API_KEY",
        key_header: "authorization",
        base_url_variable: "GROQ_BASE_URL",
        default_base_url: "https://api.groq.com/openai/v1",
        get_key_at: "https://console.groq.com/keys",
    },
    BuiltIn {
        name: "cohere",
        vendor: "Cohere",
        key_variable: "COHERE_API_KEY",
        key_header: "authorization",
        base_url_variable: "COHERE_BASE_URL",
        default_base_url: "https://api.cohere.com/v2",
        get_key_at: "https://dashboard.cohere.com/api-keys",
    },
    BuiltIn {
        name: "bedrock",
        vendor: "Amazon Bedrock",
        key_variable: "AWS_ACCESS_KEY_ID",
        key_header: "authorization",
        base_url_variable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
        default_base_url: "",
        get_key_at: "https://console.aws.amazon.com/iam",
    },
    BuiltIn {
        name: "vertex",
        vendor: "Google Vertex",
        key_variable: "GOOGLE_VERTEX_API_KEY",
        key_header: "x-goog-api-key",
        base_url_variable: "GOOGLE_VERTEX_BASE_URL",
        default_base_url: "",
        get_key_at: "https://console.cloud.google.com",
    },
];

/// Names a custom provider must not take, as its variables belong to a built-in one.
const RESERVED: [&str; 9] =
    ["OPENAI", "ANTHROPIC", "GOOGLE_GENERATIVE_AI", "GOOGLE_VERTEX", "MISTRAL", "AZURE", "GROQ", "COHERE", "AWS"];

/// An OpenAI-compatible provider set up by `{NAME}_API_KEY`, `{NAME}_API_BASE` and `{NAME}_API_TYPE=openai`.
#[derive(Clone, PartialEq, Eq)]
pub struct Custom {
    /// What stands before the colon of a model string.
    pub name: String,
    /// What its variables begin with.
    pub prefix: String,
    pub(super) api_key: String,
    pub(super) base_url: String,
}

/// The built-in provider of this name.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|provider| provider.name == name)
}

/// The custom providers, sorted by prefix; those named like a built-in one are left out.
pub fn custom_providers(env: &dyn Env) -> Vec<Custom> {
    let mut names = env.names();
    names.sort();
    names.iter().filter_map(|variable| custom(env, variable)).collect()
}

fn custom(env: &dyn Env, variable: &str) -> Option<Custom> {
    let prefix = variable.strip_suffix("_API_KEY")?;
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if prefix.is_empty() || !prefix.bytes().all(allowed) || RESERVED.contains(&prefix) {
        return None;
    }
    let set = |suffix: &str| env.get(&format!("{prefix}_{suffix}")).filter(|value| !value.is_empty());
    let (api_key, base_url) = (set("API_KEY")?, set("API_BASE")?);
    if set("API_TYPE")? != "openai" {
        return None;
    }
    let name = set("API_NAME").unwrap_or_else(|| prefix.to_ascii_lowercase());
    built_in(&name).is_none().then(|| Custom { name, prefix: prefix.to_owned(), api_key, base_url })
}

/// `Unknown provider: "p". Available providers: openai, anthropic, …`
pub fn unknown_provider(name: &str, env: &dyn Env) -> ProviderError {
    let mut names: Vec<String> = BUILT_IN.iter().map(|provider| provider.name.to_owned()).collect();
    names.extend(custom_providers(env).into_iter().map(|custom| custom.name));
    let message = format!("Unknown provider: \"{name}\". Available providers: {}", names.join(", "));
    ProviderError::new(ProviderErrorKind::Configuration, name, "", message).with_hint(
        "A custom OpenAI-compatible provider is set up by NAME_API_KEY, NAME_API_BASE and NAME_API_TYPE=openai.",
    )
}
