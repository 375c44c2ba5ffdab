//! Base URLs and authentication of providers. Explicit settings win over variables.

use super::{
    ollama_host::ollama_url,
    row::{Connection, Setup},
};
use crate::{
    ProviderError, ProviderErrorKind,
    auth::{
        Auth, KeyAuth, KeyHeader,
        aws::{self, AwsAuth},
        azure::AzureAuth,
        google::{self, GoogleAuth},
    },
    settings::Setting,
};

pub(super) fn single_key(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let base_url = setup.base_url(|| setup.provider.base_url.to_owned());
    let key_is_optional = setup.provider.needs_no_key();
    Ok(Connection { key_is_optional, ..setup.connection(base_url, Auth::Key(setup.key())) })
}

/// `OLLAMA_HOST` need not be a URL.
pub(super) fn ollama(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let connection = single_key(setup)?;
    Ok(Connection { base_url: ollama_url(&connection.base_url), ..connection })
}

pub(super) fn openai(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let mut connection = single_key(setup)?;
    let billed = [("OpenAI-Organization", &setup.settings.organization), ("OpenAI-Project", &setup.settings.project)];
    for (name, value) in billed {
        if let Some(value) = value {
            connection.headers.entry(name.to_owned()).or_insert_with(|| value.clone());
        }
    }
    Ok(connection)
}

/// Every customer has an own host, named after the resource. Without a key, Entra ID issues a token.
pub(super) fn azure(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let resource = setup.value(Setting::ResourceName);
    if resource.is_none() && setup.explicit_base_url().is_none() {
        return Err(setup.missing("resource name", "resourceName", Setting::ResourceName));
    }
    resource.iter().try_for_each(|resource| setup.check_part_of_host("resourceName", resource))?;
    let base_url = setup.base_url(|| setup.provider.base_url.replace("{resource}", &resource.unwrap_or_default()));
    let is_authorised =
        |name: &String| ["api-key", "authorization"].iter().any(|known| name.eq_ignore_ascii_case(known));
    let token = setup.settings.azure_ad_token.clone();
    // Precedence: explicit key, explicit token, key from the variable.
    let key = if token.is_some() { setup.settings.api_key.clone() } else { setup.value(Setting::ApiKey) };
    let has_key = key.is_some_and(|key| !key.trim().is_empty()) || setup.settings.headers.keys().any(is_authorised);
    let auth =
        if has_key { Auth::Key(setup.key()) } else { Auth::Azure(AzureAuth::new(setup.context.env.clone(), token)) };
    Ok(setup.connection(base_url, auth))
}

/// Every region has an own host. A bearer token wins over keys, as in AWS's own tools.
pub(super) fn bedrock(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let env = &setup.context.env;
    let usual = || env.get("AWS_DEFAULT_REGION").filter(|region| !region.is_empty());
    let region = setup.non_empty(Setting::Region).or_else(usual).or_else(|| aws::profile_region(&**env));
    let region = region.unwrap_or_else(|| "us-east-1".to_owned());
    setup.check_part_of_host("region", &region)?;
    let base_url = setup.base_url(|| setup.provider.base_url.replace("{region}", &region));
    let token = setup.value(Setting::ApiKey).filter(|token| !token.trim().is_empty());
    let auth = match token {
        Some(_) => Auth::Key(setup.key()),
        None => {
            let [id, secret, token] = [Setting::AccessKeyId, Setting::SecretAccessKey, Setting::SessionToken]
                .map(|part| setup.non_empty(part));
            Auth::Aws(AwsAuth::new(env.clone(), region, id, secret, token))
        }
    };
    Ok(setup.connection(base_url, auth))
}

/// With a key (express mode), project, location and OAuth are not used.
pub(super) fn vertex(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    if setup.non_empty(Setting::ApiKey).is_some() {
        let base_url = setup.base_url(|| "https://aiplatform.googleapis.com/v1/publishers/google".to_owned());
        return Ok(setup.connection(base_url, Auth::Key(setup.key())));
    }
    let (env, credentials) = (&setup.context.env, &setup.settings.credentials);
    let variable = |name: &str| env.get(name).filter(|value| !value.is_empty());
    let project = setup.non_empty(Setting::Project).or_else(|| variable("GOOGLE_CLOUD_PROJECT"));
    let Some(project) = project.or_else(|| google::project(env, credentials.as_ref())) else {
        return Err(setup.missing("project", "project", Setting::Project));
    };
    let location = setup.non_empty(Setting::Location).or_else(|| variable("GOOGLE_CLOUD_LOCATION"));
    let location = location.unwrap_or_else(|| "us-central1".to_owned());
    setup.check_part_of_host("location", &location)?;
    let base_url = setup.base_url(|| {
        let url = setup.provider.base_url;
        let url = if location == "global" { url.replace("{location}-", "") } else { url.to_owned() };
        url.replace("{location}", &location).replace("{project}", &project)
    });
    let auth = GoogleAuth::new(env.clone(), credentials.clone());
    Ok(setup.connection(base_url, Auth::Google(auth)))
}

pub(super) fn compatible(setup: &Setup<'_>) -> Result<Connection, ProviderError> {
    let name = setup.settings.compatible_name();
    let Some(base_url) = setup.settings.base_url.clone().filter(|url| !url.trim().is_empty()) else {
        let message = "An OpenAI-compatible provider needs a base URL. Pass it using the 'baseURL' parameter.";
        return Err(ProviderError::new(ProviderErrorKind::Configuration, name, setup.model_id, message));
    };
    // The key of a custom provider was already read from its variable, which is only named in the error message.
    let key = KeyAuth {
        header: KeyHeader::Bearer,
        key: setup.settings.api_key.clone(),
        vendor: name.clone(),
        variable: format!("{}_API_KEY", name.to_ascii_uppercase().replace('-', "_")),
        key_page: None,
    };
    Ok(Connection { provider: name, key_is_optional: true, ..setup.connection(base_url, Auth::Key(key)) })
}

impl Setup<'_> {
    /// The setting, or else the value of its first variable that is set, which may be empty.
    fn value(&self, setting: Setting) -> Option<String> {
        let env = &*self.context.env;
        let empty = || self.provider.variables_of(setting).find_map(|name| env.get(name));
        let variable = || self.provider.set_variable(setting, env).map(|(_, value)| value).or_else(empty);
        self.settings.text(setting).cloned().or_else(variable)
    }

    fn non_empty(&self, setting: Setting) -> Option<String> {
        self.value(setting).filter(|value| !value.is_empty())
    }

    fn explicit_base_url(&self) -> Option<String> {
        let variable = || self.provider.set_variable(Setting::BaseUrl, &*self.context.env).map(|(_, url)| url);
        self.settings.base_url.clone().or_else(variable)
    }

    fn base_url(&self, default: impl FnOnce() -> String) -> String {
        self.explicit_base_url().unwrap_or_else(default)
    }

    fn key(&self) -> KeyAuth {
        KeyAuth {
            header: self.provider.key_header,
            key: self.value(Setting::ApiKey),
            vendor: self.provider.vendor.to_owned(),
            variable: self.provider.variable(Setting::ApiKey).unwrap_or_default().to_owned(),
            key_page: Some(self.provider.get_key_at).filter(|page| !page.is_empty()),
        }
    }

    fn connection(&self, base_url: String, auth: Auth) -> Connection {
        let (provider, headers) = (self.provider.name.to_owned(), self.settings.headers.clone());
        Connection { provider, base_url, auth, headers, key_is_optional: false }
    }

    /// A part of a host name must not lead to another host, which would receive the keys.
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
