//! Making a model of a provider from explicit settings and the environment.

use std::{collections::BTreeMap, rc::Rc};

use serde_json::Value;

use super::{
    LanguageModel, ProviderContext, ProviderError, ProviderErrorKind,
    auth::{Auth, KeyAuth, aws::AwsAuth, google::GoogleAuth},
    catalog::{self, BuiltIn},
    transport::HttpModel,
    wire::{
        WireFormat,
        anthropic::AnthropicWire,
        bedrock::BedrockWire,
        chat::{ChatWire, Dialect},
        cohere::CohereWire,
        google::GoogleWire,
        responses::ResponsesWire,
    },
};

/// What `createOpenAI({…})` and its relatives take; what is unset comes from the environment.
#[derive(Clone, Default)]
pub struct ProviderSettings {
    /// `apiKey`
    pub api_key: Option<String>,
    /// `baseURL`, which replaces the default including its path.
    pub base_url: Option<String>,
    pub headers: BTreeMap<String, String>,
    /// The name of an OpenAI-compatible provider; its `providerOptions` are found under it.
    pub name: Option<String>,
    /// openai: `organization` and `project` go out as headers. vertex: `project`.
    pub organization: Option<String>,
    pub project: Option<String>,
    /// azure
    pub resource_name: Option<String>,
    /// azure: `apiVersion`, `v1` unless set.
    pub api_version: Option<String>,
    /// vertex
    pub location: Option<String>,
    /// vertex: the content of a credentials file (`googleAuthOptions.credentials`).
    pub credentials: Option<Value>,
    /// bedrock
    pub region: Option<String>,
    pub access_key_id: Option<String>,
    pub secret_access_key: Option<String>,
    pub session_token: Option<String>,
    /// OpenAI-compatible: `queryParams`, such as `api-version=1.0.0`.
    pub query: Option<String>,
}

/// A provider with its settings laid over the environment.
struct Maker<'a> {
    built_in: &'static BuiltIn,
    settings: &'a ProviderSettings,
    context: &'a ProviderContext,
    model_id: &'a str,
}

/// Makes a model of a built-in provider, or of `openai-compatible` (which needs `base_url`).
///
/// `provider` is a built-in name, with `.chat` or `.responses` behind it where the provider has more than one API
/// (`openai.chat`, `azure.chat`).
///
/// # Errors
/// An unknown provider, or a setting that the address cannot be made without. A missing key shows when the first
/// request is due.
pub fn create(
    provider: &str,
    settings: &ProviderSettings,
    model_id: &str,
    context: &ProviderContext,
) -> Result<Rc<dyn LanguageModel>, ProviderError> {
    Ok(Rc::new(make(provider, settings, model_id, context)?))
}

fn make(
    provider: &str,
    settings: &ProviderSettings,
    model_id: &str,
    context: &ProviderContext,
) -> Result<HttpModel, ProviderError> {
    if provider == "openai-compatible" {
        return compatible(settings, model_id, context);
    }
    let (name, api) = provider.split_once('.').unwrap_or((provider, ""));
    let built_in = catalog::built_in(name).ok_or_else(|| catalog::unknown_provider(provider, &*context.env))?;
    let maker = Maker { built_in, settings, context, model_id };
    let model = match (name, api) {
        ("openai", "chat") => maker.simple(Box::new(ChatWire::new(Dialect::OpenAi, None))),
        ("openai", "" | "responses") => maker.simple(Box::new(ResponsesWire::openai())),
        ("azure", "" | "responses" | "chat") => maker.azure(api == "chat")?,
        ("anthropic", "" | "messages") => maker.simple(Box::new(AnthropicWire)),
        ("google", "") => maker.simple(Box::new(GoogleWire::generative_language())),
        ("mistral", "" | "chat") => maker.simple(Box::new(ChatWire::new(Dialect::Mistral, None))),
        ("groq", "" | "chat") => maker.simple(Box::new(ChatWire::new(Dialect::Groq, None))),
        ("cohere", "" | "chat") => maker.simple(Box::new(CohereWire)),
        ("bedrock", "") => maker.bedrock(),
        ("vertex", "") => maker.vertex()?,
        _ => return Err(catalog::unknown_provider(provider, &*context.env)),
    };
    Ok(model)
}

impl Maker<'_> {
    fn set(&self, value: Option<&String>, variable: &str) -> Option<String> {
        value.cloned().or_else(|| self.context.env.get(variable))
    }

    /// The explicit base URL, else the variable's, else the default; one trailing slash is removed.
    fn base_url(&self, default: impl FnOnce() -> String) -> String {
        let variable = || self.context.env.get(self.built_in.base_url_variable).filter(|url| !url.is_empty());
        without_slash(self.settings.base_url.clone().or_else(variable).unwrap_or_else(default))
    }

    fn model(&self, wire: Box<dyn WireFormat>, base_url: String, auth: Auth) -> HttpModel {
        HttpModel {
            provider: self.built_in.name.to_owned(),
            model_id: self.model_id.to_owned(),
            wire,
            base_url,
            auth,
            headers: self.settings.headers.clone(),
            context: self.context.clone(),
        }
    }

    fn key_auth(&self) -> KeyAuth {
        KeyAuth {
            header: self.built_in.key_header,
            bearer: self.built_in.key_header == "authorization",
            key: self.set(self.settings.api_key.as_ref(), self.built_in.key_variable),
            vendor: self.built_in.vendor.to_owned(),
            variable: self.built_in.key_variable.to_owned(),
            get_one_at: Some(self.built_in.get_key_at),
        }
    }

    /// A provider with one address and one key.
    fn simple(&self, wire: Box<dyn WireFormat>) -> HttpModel {
        let base_url = self.base_url(|| self.built_in.default_base_url.to_owned());
        let mut model = self.model(wire, base_url, Auth::Key(self.key_auth()));
        if self.built_in.name == "openai" {
            let headers =
                [("OpenAI-Organization", &self.settings.organization), ("OpenAI-Project", &self.settings.project)];
            for (name, value) in headers {
                if let Some(value) = value {
                    model.headers.entry(name.to_owned()).or_insert_with(|| value.clone());
                }
            }
        }
        model
    }

    fn azure(&self, chat: bool) -> Result<HttpModel, ProviderError> {
        let resource = self.set(self.settings.resource_name.as_ref(), "AZURE_RESOURCE_NAME");
        let has_base_url = self.settings.base_url.is_some()
            || self.context.env.get(self.built_in.base_url_variable).is_some_and(|url| !url.is_empty());
        if resource.is_none() && !has_base_url {
            return Err(self.missing("Azure OpenAI resource name", "resourceName", "AZURE_RESOURCE_NAME"));
        }
        let base_url = self.base_url(|| format!("https://{}.openai.azure.com/openai", resource.unwrap_or_default()));
        let version = self.settings.api_version.as_deref().unwrap_or("v1");
        let wire: Box<dyn WireFormat> = if chat {
            let query = format!("api-version={version}");
            Box::new(ChatWire::at("/v1/chat/completions", Dialect::OpenAi, Some(&query)))
        } else {
            Box::new(ResponsesWire::azure(version))
        };
        Ok(self.model(wire, base_url, Auth::Key(self.key_auth())))
    }

    /// A bearer token, if there is one, goes before keys.
    fn bedrock(&self) -> HttpModel {
        let region = self.set(self.settings.region.as_ref(), "AWS_REGION").filter(|region| !region.is_empty());
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        let base_url = self.base_url(|| format!("https://bedrock-runtime.{region}.amazonaws.com"));
        let token = self.set(self.settings.api_key.as_ref(), "AWS_BEARER_TOKEN_BEDROCK");
        let auth = match token.filter(|token| !token.trim().is_empty()) {
            Some(token) => Auth::Key(KeyAuth {
                key: Some(token),
                variable: "AWS_BEARER_TOKEN_BEDROCK".to_owned(),
                ..self.key_auth()
            }),
            None => Auth::Aws(AwsAuth {
                access_key_id: self.set(self.settings.access_key_id.as_ref(), "AWS_ACCESS_KEY_ID"),
                secret_access_key: self.set(self.settings.secret_access_key.as_ref(), "AWS_SECRET_ACCESS_KEY"),
                session_token: self
                    .set(self.settings.session_token.as_ref(), "AWS_SESSION_TOKEN")
                    .filter(|token| !token.is_empty()),
                region,
            }),
        };
        self.model(Box::new(BedrockWire), base_url, auth)
    }

    /// With a key (express mode) neither project nor location nor OAuth is used.
    fn vertex(&self) -> Result<HttpModel, ProviderError> {
        let wire = || Box::new(GoogleWire::vertex());
        let key = self.set(self.settings.api_key.as_ref(), self.built_in.key_variable);
        if key.as_ref().is_some_and(|key| !key.is_empty()) {
            let base_url = self.base_url(|| "https://aiplatform.googleapis.com/v1/publishers/google".to_owned());
            return Ok(self.model(wire(), base_url, Auth::Key(self.key_auth())));
        }
        let project = self.set(self.settings.project.as_ref(), "GOOGLE_VERTEX_PROJECT");
        let Some(project) = project else {
            return Err(self.missing("Google Vertex project", "project", "GOOGLE_VERTEX_PROJECT"));
        };
        let location = self.set(self.settings.location.as_ref(), "GOOGLE_VERTEX_LOCATION");
        let location = location.filter(|location| !location.is_empty()).unwrap_or_else(|| "us-central1".to_owned());
        let base_url = self.base_url(|| {
            let prefix = if location == "global" { String::new() } else { format!("{location}-") };
            format!(
                "https://{prefix}aiplatform.googleapis.com/v1beta1/projects/{project}/locations/{location}/publishers/google"
            )
        });
        let auth = GoogleAuth::new(self.context.env.clone(), self.settings.credentials.clone());
        Ok(self.model(wire(), base_url, Auth::Google(auth)))
    }

    fn missing(&self, what: &str, parameter: &str, variable: &str) -> ProviderError {
        let message = format!(
            "{what} setting is missing. Pass it using the '{parameter}' parameter or the {variable} environment variable."
        );
        ProviderError::new(ProviderErrorKind::Configuration, self.built_in.name, self.model_id, message)
    }
}

/// A model at any OpenAI-compatible server.
fn compatible(
    settings: &ProviderSettings,
    model_id: &str,
    context: &ProviderContext,
) -> Result<HttpModel, ProviderError> {
    let name = settings.name.clone().unwrap_or_else(|| "openai-compatible".to_owned());
    let Some(base_url) = settings.base_url.clone().filter(|url| !url.is_empty()) else {
        let message = "An OpenAI-compatible provider needs a base URL. Pass it using the 'baseURL' parameter.";
        return Err(ProviderError::new(ProviderErrorKind::Configuration, name, model_id, message));
    };
    let auth = KeyAuth {
        header: "authorization",
        bearer: true,
        key: settings.api_key.clone(),
        vendor: name.clone(),
        variable: format!("{}_API_KEY", name.to_ascii_uppercase().replace('-', "_")),
        get_one_at: None,
    };
    Ok(HttpModel {
        wire: Box::new(ChatWire::new(Dialect::Compatible(name.clone()), settings.query.as_deref())),
        provider: name,
        model_id: model_id.to_owned(),
        base_url: without_slash(base_url),
        auth: Auth::Key(auth),
        headers: settings.headers.clone(),
        context: context.clone(),
    })
}

fn without_slash(mut url: String) -> String {
    if url.ends_with('/') {
        url.pop();
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base_url(provider: &str, variables: &[(&str, &str)], settings: ProviderSettings) -> String {
        let env: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        make(provider, &settings, "m", &ProviderContext::new(Rc::new(env))).unwrap().base_url
    }

    #[test]
    fn the_default_addresses_are_the_services_own() {
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
    fn base_urls_are_replaced_with_their_path() {
        for provider in &catalog::BUILT_IN {
            let variables = [
                (provider.base_url_variable, "http://127.0.0.1:9/deep/path/"),
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
}
