//! The model of each provider that is asked when none is named: of the newest, one for everyday use.

/// Without a row: providers whose models have names that their users give, such as deployments of Azure.
const USUAL_MODELS: [(&str, &str); 20] = [
    ("openai", "gpt-6.1-sol"),
    ("anthropic", "claude-sonnet-5-5"),
    ("google", "gemini-3.8-flash"),
    ("mistral", "mistral-large-4"),
    ("groq", "openai/gpt-oss-120b"),
    ("cohere", "command-a-03-2025"),
    ("bedrock", "global.anthropic.claude-sonnet-5-5"),
    ("vertex", "gemini-3.8-flash"),
    ("deepseek", "deepseek-chat"),
    ("xai", "grok-4.7"),
    ("openrouter", "openai/gpt-6.1-sol"),
    ("together", "openai/gpt-oss-120b"),
    ("fireworks", "accounts/fireworks/models/gpt-oss-120b"),
    ("cerebras", "gpt-oss-120b"),
    ("moonshot", "kimi-k3"),
    ("zai", "glm-5.3"),
    ("perplexity", "sonar"),
    ("nvidia", "openai/gpt-oss-120b"),
    ("huggingface", "openai/gpt-oss-120b"),
    ("sambanova", "gpt-oss-120b"),
];

pub(crate) fn usual_model(provider: &str) -> Option<&'static str> {
    USUAL_MODELS.iter().find(|(name, _)| *name == provider).map(|(_, model)| *model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_that_needs_a_key_has_a_usual_model_but_azure() {
        let without: Vec<&str> = super::super::providers()
            .filter(|provider| !provider.needs_no_key() && usual_model(provider.name).is_none())
            .map(|provider| provider.name)
            .collect();
        assert_eq!(without, ["azure"]);
        let is_known = |name: &str| super::super::named(name).is_some();
        assert!(USUAL_MODELS.iter().all(|(name, _)| is_known(name)));
    }
}
