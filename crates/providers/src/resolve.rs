//! Model strings: `provider:model`, aliases, custom providers.

use std::rc::Rc;

use super::{
    EXAMPLE_MODEL, LanguageModel, ProviderContext, ProviderError, ProviderErrorKind, ProviderSettings, catalog, create,
    local::{LOCAL, LocalModel},
};

/// Resolves a model string (docs/reference/models.md).
///
/// `provider:model` is split at the first colon. Without a colon it is an alias, defined by `LM_MODEL_<ALIAS>`;
/// aliases may be chained. A built-in provider wins over a custom one of the same name, and a custom one over a known
/// host. A missing key is reported with the first request.
///
/// # Errors
/// Kind `Configuration`: unknown provider, unset alias, a cycle of aliases, or a missing setting.
pub fn resolve(model: &str, context: &ProviderContext) -> Result<Rc<dyn LanguageModel>, ProviderError> {
    // The string may contain a key by mistake.
    find(model, context).map_err(|error| context.redactor.error(error))
}

/// The `provider:model` that a model string leads to, or the string itself if an alias is not set. Needs no key.
pub fn model_name(model: &str, context: &ProviderContext) -> String {
    expand_alias(model, context).unwrap_or_else(|_| model.to_owned())
}

fn find(model: &str, context: &ProviderContext) -> Result<Rc<dyn LanguageModel>, ProviderError> {
    let target = expand_alias(model, context)?;
    let Some((provider, model_id)) = target.split_once(':') else {
        // Unreachable: expand_alias returns strings with a colon only.
        return Err(alias_not_found(&target, context));
    };
    if provider == LOCAL && model_id.is_empty() {
        return Ok(Rc::new(LocalModel::new(model_id, context)));
    }
    if model_id.is_empty() {
        let message = format!("The model string \"{target}\" has no model behind the colon (e.g., {EXAMPLE_MODEL})");
        return Err(ProviderError::new(ProviderErrorKind::Configuration, provider, "", message));
    }
    // Built-in providers go first, so that no variable can redirect `openai:…` unnoticed.
    if catalog::built_in(provider).is_some() {
        return create(provider, &ProviderSettings::default(), model_id, context);
    }
    let custom = catalog::custom_providers(&*context.env).into_iter().find(|custom| custom.name == provider);
    if let Some(custom) = custom {
        return create(catalog::COMPATIBLE.name, &custom.into_settings(), model_id, context);
    }
    match catalog::named(provider) {
        Some(host) => create(host.name, &ProviderSettings::default(), model_id, context),
        None if provider == LOCAL => Ok(Rc::new(LocalModel::new(model_id, context))),
        None => Err(catalog::unknown_provider(provider, model_id, &*context.env)),
    }
}

/// The variable of an alias: upper case, with `_` for every character that shells do not allow in names.
fn alias_variable(alias: &str) -> String {
    format!("LM_MODEL_{}", catalog::shell_name(alias))
}

/// The value of an alias. The unescaped variable name goes first: a file or a script can set what a shell cannot.
fn target(alias: &str, context: &ProviderContext) -> Option<String> {
    let get = |variable: String| context.env.get(&variable).filter(|value| !value.trim().is_empty());
    let value = get(format!("LM_MODEL_{}", alias.to_uppercase())).or_else(|| get(alias_variable(alias)))?;
    Some(value.trim().to_owned())
}

pub(super) fn expand_alias(model: &str, context: &ProviderContext) -> Result<String, ProviderError> {
    let mut seen: Vec<String> = Vec::new();
    let mut current = model.trim().to_owned();
    while !current.contains(':') {
        let variable = alias_variable(&current);
        seen.push(current.clone());
        current = match target(&current, context) {
            // An alias of this name wins.
            None if current == LOCAL => return Ok(format!("{LOCAL}:")),
            found => found.ok_or_else(|| alias_not_found(&current, context))?,
        };
        // `fast` and `FAST` are the same variable.
        let looks_the_same = |alias: &String| alias_variable(alias) == alias_variable(&current);
        if !current.contains(':') && seen.iter().any(looks_the_same) {
            seen.push(current);
            let message = format!("Model aliases go round in a circle: {}", seen.join(" -> "));
            return Err(ProviderError::new(ProviderErrorKind::Configuration, "", model, message)
                .with_hint(format!("Let {variable} name a model (e.g., {variable}={EXAMPLE_MODEL}).")));
        }
    }
    Ok(current)
}

fn alias_not_found(alias: &str, context: &ProviderContext) -> ProviderError {
    let variable = alias_variable(alias);
    let message = format!(
        "Model alias \"{alias}\" not found. Please set the environment variable {variable} (e.g., \
         {variable}=openai:gpt-4o)"
    );
    let error = ProviderError::new(ProviderErrorKind::Configuration, "", alias, message);
    match catalog::suggestion_for_alias(alias, &*context.env).or_else(|| near_alias(alias, context)) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

fn near_alias(alias: &str, context: &ProviderContext) -> Option<String> {
    let names = context.env.names();
    let is_set = |name: &&String| context.env.get(name).is_some_and(|value| !value.trim().is_empty());
    let aliases = names.iter().filter(is_set).filter_map(|name| name.strip_prefix("LM_MODEL_")).map(str::to_lowercase);
    let distance = |known: &String| strsim::damerau_levenshtein(known, &alias.to_lowercase());
    let near = aliases.filter(|known| !known.is_empty()).min_by_key(&distance)?;
    (distance(&near) <= 2 && distance(&near) * 3 <= near.len()).then(|| format!("Did you mean \"{near}\"?"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn context(variables: &[(&str, &str)]) -> ProviderContext {
        let env: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ProviderContext::new(Rc::new(env))
    }

    fn resolved(model: &str, variables: &[(&str, &str)]) -> Result<(String, String), String> {
        resolve(model, &context(variables))
            .map(|model| (model.provider().to_owned(), model.model_id().to_owned()))
            .map_err(|error| error.message)
    }

    fn pair(provider: &str, model: &str) -> Result<(String, String), String> {
        Ok((provider.to_owned(), model.to_owned()))
    }

    #[test]
    fn the_first_colon_splits() {
        assert_eq!(resolved("openai:gpt-4o", &[]), pair("openai", "gpt-4o"));
        assert_eq!(
            resolved("bedrock:anthropic.claude-3-5-sonnet-20241022-v2:0", &[]),
            pair("bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0")
        );
    }

    #[test]
    fn chains_of_aliases_are_resolved() {
        let variables = [("LM_MODEL_FAST", "tiny"), ("LM_MODEL_TINY", "groq:llama-3.1-8b")];
        assert_eq!(resolved("fast", &variables), pair("groq", "llama-3.1-8b"));
        assert_eq!(
            resolved("big", &variables).unwrap_err(),
            "Model alias \"big\" not found. Please set the environment variable LM_MODEL_BIG (e.g., \
             LM_MODEL_BIG=openai:gpt-4o)"
        );
    }

    #[test]
    fn alias_cycles_are_errors() {
        let variables = [("LM_MODEL_A", "b"), ("LM_MODEL_B", "A")];
        assert_eq!(resolved("a", &variables).unwrap_err(), "Model aliases go round in a circle: a -> b -> A");
        assert!(resolved("x", &[("LM_MODEL_X", "X")]).unwrap_err().contains("circle"));
    }

    #[test]
    fn unknown_providers_are_listed_with_the_known_ones() {
        let variables = [
            ("ZAI_API_KEY", "zai-secret"),
            ("ZAI_API_BASE", "https://zai.example/v4"),
            ("ZAI_API_TYPE", "openai"),
            ("LAB_API_BASE", "https://lab.example"),
            ("LAB_API_TYPE", "openai"),
            ("HALF_API_KEY", "half"),
            ("GROQ_API_TYPE", "openai"),
            ("GROQ_API_KEY", "g"),
            ("GROQ_API_BASE", "https://groq.example"),
        ];
        assert_eq!(
            resolved("nope:x", &variables).unwrap_err(),
            "Unknown provider: \"nope\". Available providers: openai, anthropic, google, mistral, azure, groq, cohere, \
             bedrock, vertex, deepseek, xai, openrouter, together, fireworks, cerebras, moonshot, zai, perplexity, \
             nvidia, huggingface, sambanova, ollama, lmstudio, llamacpp, vllm, docker, lab"
        );
        assert_eq!(resolved("zai:glm-4.6", &variables), pair("zai", "glm-4.6"));
    }

    #[test]
    fn suggestions_for_typing_errors() {
        let variables =
            [("HALF_API_BASE", "http://h"), ("OWN_API_TYPE", "openai"), ("LM_MODEL_FAST", "openai:gpt-4o-mini")];
        let hint = |model: &str| resolve(model, &context(&variables)).err().and_then(|error| error.hint);
        for (model, meant) in [
            ("opnai:gpt-4o", "Did you mean \"openai:gpt-4o\"?"),
            ("OpenAI:gpt-4o", "Did you mean \"openai:gpt-4o\"?"),
            ("claude:x", "Did you mean \"anthropic:x\"?"),
            ("gpt-4o", "Did you mean \"openai:gpt-4o\"?"),
            ("claude-sonnet-4-5", "Did you mean \"anthropic:claude-sonnet-4-5\"?"),
            ("gemini-2.5-pro", "Did you mean \"google:gemini-2.5-pro\"?"),
            ("groq/llama", "Did you mean \"groq:llama\"?"),
            ("fats", "Did you mean \"fast\"?"),
            ("half:x", "HALF_API_BASE is set; set HALF_API_TYPE=openai as well."),
            ("own:x", "OWN_API_TYPE is set; set OWN_API_BASE=https://…/v1 as well."),
            (
                "localai:x",
                "It can be used as a custom provider. Set LOCALAI_API_BASE=http://localhost:8080/v1 and \
                 LOCALAI_API_TYPE=openai in the environment or in .env (LOCALAI_API_KEY only if the server wants a key).",
            ),
            ("grok:x", "Did you mean \"xai:x\"?"),
            (
                "deepinfra:x",
                "It can be used as a custom provider. Set DEEPINFRA_API_BASE=https://api.deepinfra.com/v1/openai, \
                 DEEPINFRA_API_TYPE=openai and DEEPINFRA_API_KEY in the environment or in .env.",
            ),
        ] {
            assert_eq!(hint(model).as_deref(), Some(meant), "{model}");
        }
        assert!(hint("my-lab:x").unwrap().contains("set MY_LAB_API_BASE=https://…/v1, MY_LAB_API_TYPE=openai"));
        assert_eq!(hint("nothing-like-it"), None);
    }

    #[test]
    fn an_alias_has_a_variable_that_a_shell_can_set() {
        for variable in ["LM_MODEL_GPT_4.1", "LM_MODEL_GPT_4_1"] {
            assert_eq!(resolved("gpt_4.1", &[(variable, "openai:gpt-4.1")]), pair("openai", "gpt-4.1"));
        }
        assert!(resolved("gpt-4.1", &[]).unwrap_err().contains("variable LM_MODEL_GPT_4_1 (e.g., LM_MODEL_GPT_4_1="));
        let circle = [("LM_MODEL_A_B", "a.b"), ("LM_MODEL_A.C", "openai:x")];
        assert!(resolved("a-b", &circle).unwrap_err().contains("circle"));
    }

    #[test]
    fn a_custom_provider_needs_an_address_and_no_key() {
        let local = |base| [("OLLAMA_API_BASE", base), ("OLLAMA_API_TYPE", "openai")];
        assert_eq!(resolved("ollama:m", &local("http://localhost:11434/v1")), pair("ollama", "m"));
        let error = resolved("ollama:m", &local("ada:hunter2@localhost:11434/v1")).unwrap_err();
        assert_eq!(error, "The base URL \"localhost:11434/v1\" has no scheme such as https:// (OLLAMA_API_BASE)");
    }

    #[test]
    fn a_custom_provider_can_have_another_name() {
        let variables = [
            ("MY_LAB_API_KEY", "lab-secret"),
            ("MY_LAB_API_BASE", "https://lab.example"),
            ("MY_LAB_API_TYPE", "openai"),
            ("MY_LAB_API_NAME", "lab"),
        ];
        assert_eq!(resolved("lab:m", &variables), pair("lab", "m"));
        assert!(resolved("my_lab:m", &variables).is_err());
    }

    #[test]
    fn missing_settings_of_the_address_are_errors() {
        assert_eq!(
            resolved("vertex:gemini-2.5-flash", &[]).unwrap_err(),
            "Google Vertex project setting is missing. Pass it using the 'project' parameter or the \
             GOOGLE_VERTEX_PROJECT environment variable."
        );
        assert_eq!(
            resolved("azure:d", &[("AZURE_API_KEY", "k")]).unwrap_err(),
            "Azure OpenAI resource name setting is missing. Pass it using the 'resourceName' parameter or the \
             AZURE_RESOURCE_NAME environment variable."
        );
        assert!(resolved("vertex:gemini-2.5-flash", &[("GOOGLE_VERTEX_API_KEY", "express")]).is_ok());
        assert!(resolved("openai:", &[]).unwrap_err().contains("openai:"));
    }
}
