//! Where a provider's requests go and how they are authorised: one function for each way of being set up.
//!
//! Explicit settings win over variables. Must not know: what is sent (`wire`), or how (`transport`).

use super::row::{Connection, Setup};
use crate::provider::{
    ProviderError, ProviderErrorKind,
    auth::{
        Auth, KeyAuth, KeyHeader,
        aws::{self, AwsAuth},
        azure::AzureAuth,
        google::{self, GoogleAuth},
    },
    settings::Setting,
};

/// One address and one key.
pub(super) fn one_key(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let base_url = setup.base_url(|| setup.provider.base_url.to_owned());
    Ok(setup.connection(base_url, Auth::Key(setup.key())))
}

/// One key; the organization and the project that are billed go out as headers.
pub(super) fn openai(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let mut connection = one_key(setup)?;
    let billed = [("OpenAI-Organization", &setup.settings.organization), ("OpenAI-Project", &setup.settings.project)];
    for (name, value) in billed {
        if let Some(value) = value {
            connection.headers.entry(name.to_owned()).or_insert_with(|| value.clone());
        }
    }
    Ok(connection)
}

/// Every customer has an address of its own, named after the resource. Without a key, Entra ID gives a token.
pub(super) fn azure(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let resource = setup.value(Setting::ResourceName);
    if resource.is_none() && setup.own_base_url().is_none() {
        return Err(setup.missing("resource name", "resourceName", Setting::ResourceName));
    }
    resource.iter().try_for_each(|resource| setup.check_part_of_host("resourceName", resource))?;
    let base_url = setup.base_url(|| setup.provider.base_url.replace("{resource}", &resource.unwrap_or_default()));
    let is_authorised =
        |name: &String| ["api-key", "authorization"].iter().any(|known| name.eq_ignore_ascii_case(known));
    let token = setup.settings.azure_ad_token.clone();
    // A key that is given explicitly goes before a token, a token that is given explicitly before the variable's key.
    let key = if token.is_some() { setup.settings.api_key.clone() } else { setup.value(Setting::ApiKey) };
    let has_key = key.is_some_and(|key| !key.trim().is_empty()) || setup.settings.headers.keys().any(is_authorised);
    let auth =
        if has_key { Auth::Key(setup.key()) } else { Auth::Azure(AzureAuth::new(setup.context.env.clone(), token)) };
    Ok(setup.connection(base_url, auth))
}

/// An address for each region. A bearer token, if there is one, goes before keys, as in AWS's own tools.
pub(super) fn bedrock(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let env = &setup.context.env;
    let usual = || env.get("AWS_DEFAULT_REGION").filter(|region| !region.is_empty());
    let region = setup.filled(Setting::Region).or_else(usual).or_else(|| aws::profile_region(&**env));
    let region = region.unwrap_or_else(|| "us-east-1".to_owned());
    setup.check_part_of_host("region", &region)?;
    let base_url = setup.base_url(|| setup.provider.base_url.replace("{region}", &region));
    let token = setup.value(Setting::ApiKey).filter(|token| !token.trim().is_empty());
    let auth = match token {
        Some(_) => Auth::Key(setup.key()),
        None => {
            let [id, secret, token] =
                [Setting::AccessKeyId, Setting::SecretAccessKey, Setting::SessionToken].map(|part| setup.filled(part));
            Auth::Aws(AwsAuth::new(env.clone(), region, id, secret, token))
        }
    };
    Ok(setup.connection(base_url, auth))
}

/// With a key (express mode) neither project nor location nor OAuth is used.
pub(super) fn vertex(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    if setup.filled(Setting::ApiKey).is_some() {
        let base_url = setup.base_url(|| "https://aiplatform.googleapis.com/v1/publishers/google".to_owned());
        return Ok(setup.connection(base_url, Auth::Key(setup.key())));
    }
    let (env, credentials) = (&setup.context.env, &setup.settings.credentials);
    // Google's own programs know these under other names.
    let variable = |name: &str| env.get(name).filter(|value| !value.is_empty());
    let project = setup.filled(Setting::Project).or_else(|| variable("GOOGLE_CLOUD_PROJECT"));
    let Some(project) = project.or_else(|| google::project(env, credentials.as_ref())) else {
        return Err(setup.missing("project", "project", Setting::Project));
    };
    let location = setup.filled(Setting::Location).or_else(|| variable("GOOGLE_CLOUD_LOCATION"));
    let location = location.unwrap_or_else(|| "us-central1".to_owned());
    setup.check_part_of_host("location", &location)?;
    let base_url = setup.base_url(|| {
        let url = setup.provider.base_url;
        // The global service is the one whose host names no location.
        let url = if location == "global" { url.replace("{location}-", "") } else { url.to_owned() };
        url.replace("{location}", &location).replace("{project}", &project)
    });
    let auth = GoogleAuth::new(env.clone(), credentials.clone());
    Ok(setup.connection(base_url, Auth::Google(auth)))
}

/// A server that speaks OpenAI's protocol: all is in the settings, its name too.
pub(super) fn compatible(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let name = setup.settings.compatible_name();
    let Some(base_url) = setup.settings.base_url.clone().filter(|url| !url.trim().is_empty()) else {
        let message = "An OpenAI-compatible provider needs a base URL. Pass it using the 'baseURL' parameter.";
        return Err(ProviderError::new(ProviderErrorKind::Configuration, name, setup.model_id, message));
    };
    // No variable is read: a custom provider's key came from one already. The name is for the message.
    let key = KeyAuth {
        header: KeyHeader::Bearer,
        key: setup.settings.api_key.clone(),
        vendor: name.clone(),
        variable: format!("{}_API_KEY", name.to_ascii_uppercase().replace('-', "_")),
        get_one_at: None,
    };
    Ok(Connection { provider: name, key_is_optional: true, ..setup.connection(base_url, Auth::Key(key)) })
}

impl Setup<'_> {
    /// What is given for a setting, else its variable's value, which may be empty.
    fn value(&self, setting: Setting) -> Option<String> {
        let variable = || self.context.env.get(self.provider.variable(setting)?);
        self.settings.text(setting).cloned().or_else(variable)
    }

    /// The same where nothing can be meant by an empty text.
    fn filled(&self, setting: Setting) -> Option<String> {
        self.value(setting).filter(|value| !value.is_empty())
    }

    /// The base URL that takes the place of the default, if there is one; an empty variable counts as unset.
    fn own_base_url(&self) -> Option<String> {
        let variable =
            || self.context.env.get(self.provider.variable(Setting::BaseUrl)?).filter(|url| !url.trim().is_empty());
        self.settings.base_url.clone().or_else(variable)
    }

    fn base_url(&self, default: impl FnOnce() -> String) -> String {
        self.own_base_url().unwrap_or_else(default)
    }

    fn key(&self) -> KeyAuth {
        KeyAuth {
            header: self.provider.key_header,
            key: self.value(Setting::ApiKey),
            vendor: self.provider.vendor.to_owned(),
            variable: self.provider.variable(Setting::ApiKey).unwrap_or_default().to_owned(),
            get_one_at: Some(self.provider.get_key_at),
        }
    }

    fn connection(&self, base_url: String, auth: Auth) -> Connection {
        let (provider, headers) = (self.provider.name.to_owned(), self.settings.headers.clone());
        Connection { provider, base_url, auth, headers, key_is_optional: false }
    }

    /// What becomes a part of a host name must not lead to another host: keys go there.
    fn check_part_of_host(&self, parameter: &str, value: &str) -> Result<(), ProviderError> {
        if !value.is_empty() && value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-') {
            return Ok(());
        }
        let vendor = self.provider.vendor;
        let message = format!("{vendor}: {parameter} is a name of letters, digits and '-', not {value:?}.");
        Err(ProviderError::new(ProviderErrorKind::Configuration, self.provider.name, self.model_id, message))
    }

    fn missing(&self, what: &str, parameter: &str, setting: Setting) -> ProviderError {
        let (vendor, variable) = (self.provider.vendor, self.provider.variable(setting).unwrap_or_default());
        let message = format!(
            "{vendor} {what} setting is missing. Pass it using the '{parameter}' parameter or the {variable} environment \
             variable."
        );
        ProviderError::new(ProviderErrorKind::Configuration, self.provider.name, self.model_id, message)
    }
}
