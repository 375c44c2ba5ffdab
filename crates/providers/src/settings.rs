//! Settings of a provider.

use std::collections::BTreeMap;

use serde_json::Value;

/// Settings of `createOpenAI({…})` and its relatives; unset ones come from the environment.
#[derive(Clone, Default)]
pub struct ProviderSettings {
    pub api_key: Option<String>,
    pub base_url: Option<String>,
    pub headers: BTreeMap<String, String>,
    pub name: Option<String>,
    pub organization: Option<String>,
    /// openai: `project`, which is billed. vertex: `project`, part of the address.
    pub project: Option<String>,
    pub resource_name: Option<String>,
    pub api_version: Option<String>,
    pub azure_ad_token: Option<String>,
    pub location: Option<String>,
    pub credentials: Option<Value>,
    pub region: Option<String>,
    pub access_key_id: Option<String>,
    pub secret_access_key: Option<String>,
    pub session_token: Option<String>,
    pub query: Option<String>,
    /// Parameters of addresses that a prompt sets for its requests and that hold secrets, for batches.
    pub secret_query: Vec<(String, String)>,
    /// OpenAI-compatible: `includeUsage`; `false` omits the request for token counts.
    pub include_usage: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    ApiKey,
    BaseUrl,
    ResourceName,
    Project,
    Location,
    /// Read by `auth` itself: credentials files and parameters of token requests.
    Credentials,
    Region,
    AccessKeyId,
    SecretAccessKey,
    SessionToken,
}

impl ProviderSettings {
    pub fn server(&self) -> Option<String> {
        let of_azure = || Some(format!("https://{}.openai.azure.com", self.resource_name.as_ref()?));
        self.base_url.clone().or_else(of_azure)
    }

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

    pub(super) fn compatible_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| "openai-compatible".to_owned())
    }
}
