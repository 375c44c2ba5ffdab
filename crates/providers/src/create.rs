//! Creates models from explicit settings and the environment.

use std::rc::{Rc, Weak};

use super::{
    LanguageModel, ProviderContext, ProviderError, ProviderErrorKind,
    address::{Address, AddressError},
    auth::Auth,
    catalog::{self, Connection, Setup},
    keys::without_keys,
    redact::{Redactor, guard::guard},
    settings::{ProviderSettings, Setting},
    transport::HttpModel,
};

/// Creates a model of a built-in provider, or of `openai-compatible` (which needs `base_url`).
///
/// `provider` is a built-in name, followed by `.chat` or `.responses` where the provider has more than one API. A
/// missing key is reported with the first request.
///
/// # Errors
/// Unknown provider, missing setting, or invalid base URL.
pub fn create(
    provider: &str,
    settings: &ProviderSettings,
    model_id: &str,
    context: &ProviderContext,
) -> Result<Rc<dyn LanguageModel>, ProviderError> {
    Ok(with_redaction(make_known(provider, settings, model_id, context)?))
}

/// Like [`create`], but uses no keys from the environment, for servers that must not receive them. `None` if the
/// settings hold no key.
pub fn create_with_own_key(
    provider: &str,
    settings: &ProviderSettings,
    model_id: &str,
    context: &ProviderContext,
) -> Result<Option<Rc<dyn LanguageModel>>, ProviderError> {
    let context = ProviderContext { env: Rc::new(without_keys(&*context.env)), ..context.clone() };
    let model = make_known(provider, settings, model_id, &context)?;
    // Without a given key, credentials of this machine would be requested.
    Ok(model.auth.is_given().then(|| with_redaction(model)))
}

pub(super) fn make_known(
    provider: &str,
    settings: &ProviderSettings,
    model_id: &str,
    context: &ProviderContext,
) -> Result<HttpModel, ProviderError> {
    context.learn_variables();
    learn_settings(&context.redactor, settings);
    let model = make(provider, settings, model_id, context).map_err(|error| context.redactor.error(error))?;
    learn_connection(&context.redactor, &model);
    Ok(model)
}

/// Every HTTP model must pass through here, so that its output is redacted.
fn with_redaction(model: HttpModel) -> Rc<dyn LanguageModel> {
    let redactor = model.context.redactor.clone();
    guard(Rc::new(model), &redactor)
}

fn learn_settings(redactor: &Redactor, settings: &ProviderSettings) {
    let ProviderSettings { api_key, access_key_id, secret_access_key, session_token, .. } = settings;
    [api_key, access_key_id, secret_access_key, session_token]
        .into_iter()
        .flatten()
        .for_each(|key| redactor.learn(key));
    settings.headers.iter().for_each(|(name, value)| redactor.learn_header(name, value));
    settings.base_url.iter().for_each(|url| redactor.learn_url(url));
    settings.query.iter().for_each(|query| redactor.learn_query(query));
    settings.credentials.iter().for_each(|credentials| redactor.learn_json(credentials));
}

fn learn_connection(redactor: &Redactor, model: &HttpModel) {
    model.headers.iter().for_each(|(name, value)| redactor.learn_header(name, value));
    model.address.secrets().iter().for_each(|secret| redactor.learn(secret));
    let auth: Weak<Auth> = Rc::downgrade(&model.auth);
    redactor.watch(move || auth.upgrade().map(|auth| auth.secrets()));
}

pub(crate) fn make(
    provider: &str,
    settings: &ProviderSettings,
    model_id: &str,
    context: &ProviderContext,
) -> Result<HttpModel, ProviderError> {
    let (name, api) = provider.split_once('.').unwrap_or((provider, ""));
    let found = catalog::find(name).and_then(|row| Some((row, row.api(api)?)));
    let (row, api) = found.ok_or_else(|| catalog::unknown_provider(provider, model_id, &*context.env))?;
    let setup = Setup { provider: row, settings, context, model_id };
    let Connection { provider, base_url, auth, headers, key_is_optional } = (row.connect)(&setup)?;
    let named = ProviderSettings { name: Some(provider.clone()), base_url: Some(base_url.clone()), ..settings.clone() };
    let address = Address::parse(&base_url).map_err(|error| wrong_address(&provider, &error, &setup, &base_url))?;
    Ok(HttpModel {
        provider,
        model_id: model_id.to_owned(),
        wire: (api.wire)(&named),
        address,
        auth: Rc::new(auth),
        headers,
        key_is_optional,
        is_service: row.name != catalog::COMPATIBLE.name && !row.needs_no_key(),
        usual_url: row.base_url,
        context: context.clone(),
        settings: settings.clone(),
    })
}

fn wrong_address(provider: &str, address_error: &AddressError, setup: &Setup<'_>, base_url: &str) -> ProviderError {
    let row = setup.provider;
    let custom = || catalog::custom_providers(&*setup.context.env).into_iter().find(|custom| custom.name == provider);
    let place = match &setup.settings.base_url {
        None => row.set_variable(Setting::BaseUrl, &*setup.context.env).map(|(name, _)| name.to_owned()),
        Some(_) => custom().filter(|custom| custom.base_url() == base_url).map(|custom| custom.base_url_variable()),
    };
    let place = place.unwrap_or_else(|| "baseURL".to_owned());
    let message = format!("The base URL {} ({place})", address_error.what);
    let error = ProviderError::new(ProviderErrorKind::Configuration, provider, setup.model_id, message);
    match &address_error.hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::local::{LOCAL, LocalModel};

    fn base_url(provider: &str, variables: &[(&str, &str)], settings: ProviderSettings) -> String {
        let env: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        make(provider, &settings, "m", &ProviderContext::new(Rc::new(env))).unwrap().address.to_string()
    }

    #[test]
    fn default_base_urls() {
        let url = |provider, variables| base_url(provider, variables, ProviderSettings::default());
        assert_eq!(url("openai", &[]), "https://api.openai.com/v1");
        assert_eq!(url("openai.chat", &[]), "https://api.openai.com/v1");
        assert_eq!(url("anthropic", &[]), "https://api.anthropic.com/v1");
        assert_eq!(url("google", &[]), "https://generativelanguage.googleapis.com/v1beta");
        assert_eq!(url("mistral", &[]), "https://api.mistral.ai/v1");
        assert_eq!(url("groq", &[]), "https://api.groq.com/openai/v1");
        assert_eq!(url("cohere", &[]), "https://api.cohere.com/v2");
        assert_eq!(url("azure", &[("AZURE_RESOURCE_NAME", "res")]), "https://res.openai.azure.com/openai");
        assert_eq!(url("bedrock", &[]), "https://bedrock-runtime.us-east-1.amazonaws.com");
        assert_eq!(url("bedrock", &[("AWS_REGION", "eu-west-3")]), "https://bedrock-runtime.eu-west-3.amazonaws.com");
        assert_eq!(
            url("vertex", &[("GOOGLE_VERTEX_PROJECT", "p"), ("GOOGLE_VERTEX_LOCATION", "europe-west4")]),
            "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/p/locations/europe-west4/publishers/google"
        );
        assert_eq!(
            url("vertex", &[("GOOGLE_VERTEX_PROJECT", "p"), ("GOOGLE_VERTEX_LOCATION", "global")]),
            "https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global/publishers/google"
        );
        assert_eq!(
            url("vertex", &[("GOOGLE_VERTEX_API_KEY", "express")]),
            "https://aiplatform.googleapis.com/v1/publishers/google"
        );
    }

    #[test]
    fn the_base_url_of_ollama_wins_over_its_host() {
        let host = ("OLLAMA_HOST", "0.0.0.0:8");
        let url = |variables: &[_]| base_url("ollama", variables, ProviderSettings::default());
        assert_eq!(url(&[host]), "http://127.0.0.1:8");
        assert_eq!(url(&[host, ("OLLAMA_BASE_URL", "http://127.0.0.1:9")]), "http://127.0.0.1:9");
    }

    #[test]
    fn only_models_on_this_machine_are_free() {
        let is_local = |provider: &str, variables: &[(&str, &str)], model: &str| {
            let env: BTreeMap<String, String> =
                variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let context = ProviderContext::new(Rc::new(env));
            let model: Rc<dyn LanguageModel> = match provider {
                LOCAL => Rc::new(LocalModel::new(model, &context)),
                provider => create(provider, &ProviderSettings::default(), model, &context).unwrap(),
            };
            model.model_identities()[0].is_local
        };
        for provider in ["ollama", LOCAL] {
            assert!(is_local(provider, &[], "qwen3"), "{provider}");
            assert!(!is_local(provider, &[("OLLAMA_HOST", "https://gpu.example")], "qwen3"), "{provider}");
            for cloud in ["gpt-oss:120b-cloud", "glm-4.6:cloud"] {
                assert!(!is_local(provider, &[], cloud), "{provider}:{cloud}");
            }
        }
        assert!(!is_local("openai", &[("OPENAI_BASE_URL", "http://127.0.0.1:9")], "m"));
    }

    #[test]
    fn base_urls_are_replaced_with_their_path() {
        for provider in &catalog::BUILT_IN {
            let variables = [
                (provider.variable(Setting::BaseUrl).unwrap(), "http://127.0.0.1:9/deep/path/"),
                ("GOOGLE_VERTEX_PROJECT", "p"),
                ("AZURE_API_KEY", "k"),
            ];
            let url = base_url(provider.name, &variables, ProviderSettings::default());
            assert_eq!(url, "http://127.0.0.1:9/deep/path", "{}", provider.name);
        }
        let settings = ProviderSettings { base_url: Some("http://127.0.0.1:8/v9".into()), ..Default::default() };
        let variables = [("OPENAI_BASE_URL", "http://127.0.0.1:9")];
        assert_eq!(base_url("openai", &variables, settings), "http://127.0.0.1:8/v9");
        assert_eq!(
            base_url("openai", &[("OPENAI_BASE_URL", "")], ProviderSettings::default()),
            "https://api.openai.com/v1"
        );
    }

    #[test]
    fn an_api_can_be_selected_by_name() {
        let context = ProviderContext::new(Rc::new(BTreeMap::new()));
        let url = Some("http://127.0.0.1:9/v1/".to_owned());
        let settings = ProviderSettings { name: Some("lab".into()), base_url: url, ..Default::default() };
        for provider in ["openai-compatible", "openai-compatible.chat"] {
            let model = make(provider, &settings, "m", &context).unwrap();
            assert_eq!((model.provider.as_str(), model.address.to_string().as_str()), ("lab", "http://127.0.0.1:9/v1"));
        }
        let error = make("anthropic.chat", &settings, "m", &context).unwrap_err();
        assert!(error.message.starts_with("Unknown provider: \"anthropic.chat\"."), "{error}");
    }
}
