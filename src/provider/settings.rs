//! What a provider can be set up with.

use std::collections::BTreeMap;

use serde_json::Value;

use super::auth::google::token_servers;

/// What `createOpenAI({…})` and its relatives take; what is unset comes from the environment.
#[derive(Clone, Default)]
pub struct ProviderSettings {
    /// `apiKey`
    pub api_key: Option<String>,
    /// `baseURL`, which replaces the default including its path.
    pub base_url: Option<String>,
    /// `headers`, which go out with every request and win over those of authentication.
    pub headers: BTreeMap<String, String>,
    /// The name of an OpenAI-compatible provider; its `providerOptions` are found under it.
    pub name: Option<String>,
    /// openai: `organization`, which is billed.
    pub organization: Option<String>,
    /// openai: `project`, which is billed. vertex: `project`, part of the address.
    pub project: Option<String>,
    /// azure: `resourceName`, part of the address.
    pub resource_name: Option<String>,
    /// azure: `apiVersion`, `v1` unless set.
    pub api_version: Option<String>,
    /// azure: `azureADToken`, a token of Entra ID in place of a key.
    pub azure_ad_token: Option<String>,
    /// vertex: `location`, part of the address.
    pub location: Option<String>,
    /// vertex: the content of a credentials file (`googleAuthOptions.credentials`).
    pub credentials: Option<Value>,
    /// bedrock: `region`, part of the address and of what is signed.
    pub region: Option<String>,
    /// bedrock: `accessKeyId`
    pub access_key_id: Option<String>,
    /// bedrock: `secretAccessKey`
    pub secret_access_key: Option<String>,
    /// bedrock: `sessionToken`, which temporary keys come with.
    pub session_token: Option<String>,
    /// OpenAI-compatible: `queryParams`, such as `api-version=1.0.0`.
    pub query: Option<String>,
    /// OpenAI-compatible: `includeUsage`; `false` leaves out the question for the count of tokens.
    pub include_usage: Option<bool>,
}

/// A setting that an environment variable can stand in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    ApiKey,
    BaseUrl,
    ResourceName,
    Project,
    Location,
    /// What `auth` reads by itself: files, and the parts of requests for tokens. As a setting, a file's content.
    Credentials,
    Region,
    AccessKeyId,
    SecretAccessKey,
    SessionToken,
}

impl ProviderSettings {
    /// The server that requests go to, if the settings say which.
    pub(crate) fn server(&self) -> Option<String> {
        let of_azure = || Some(format!("https://{}.openai.azure.com", self.resource_name.as_ref()?));
        self.base_url.clone().or_else(of_azure)
    }

    /// The other servers that are asked for tokens; `None` if what is shown to them is not in the settings.
    pub(crate) fn token_servers(&self) -> Option<Vec<String>> {
        self.credentials.as_ref().map_or_else(|| Some(Vec::new()), token_servers)
    }

    /// The text given for a setting.
    pub(super) fn text(&self, setting: Setting) -> Option<&String> {
        match setting {
            Setting::ApiKey => self.api_key.as_ref(),
            Setting::BaseUrl => self.base_url.as_ref(),
            Setting::ResourceName => self.resource_name.as_ref(),
            Setting::Project => self.project.as_ref(),
            Setting::Location => self.location.as_ref(),
            Setting::Credentials => None,
            Setting::Region => self.region.as_ref(),
            Setting::AccessKeyId => self.access_key_id.as_ref(),
            Setting::SecretAccessKey => self.secret_access_key.as_ref(),
            Setting::SessionToken => self.session_token.as_ref(),
        }
    }

    /// What an OpenAI-compatible provider is called.
    pub(super) fn compatible_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| "openai-compatible".to_owned())
    }
}
