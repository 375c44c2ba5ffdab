//! Finds and reads Google's credentials files.

use std::path::PathBuf;

use serde_json::Value;

use crate::{
    Env, ProviderSettings,
    auth::{
        request::AuthFailure,
        sources::{CredentialFile, files_named_in},
        token_client::TokenClient,
    },
};

pub(super) const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

pub(super) fn text(credentials: &Value, name: &str) -> Option<String> {
    credentials.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

pub(super) fn field<'a>(credentials: &'a Value, name: &str) -> Result<&'a str, AuthFailure> {
    credentials
        .get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| AuthFailure::refused(format!("The Google credentials have no {name}.")))
}

/// The given credentials, or else the file named by `GOOGLE_APPLICATION_CREDENTIALS`, or else gcloud's own file.
pub(super) fn find(tokens: &TokenClient, given: Option<&Value>) -> Result<Option<Value>, AuthFailure> {
    match given {
        Some(credentials) => Ok(Some(credentials.clone())),
        None => find_file(tokens.env()),
    }
}

pub(crate) fn named_paths(env: &dyn Env) -> Vec<PathBuf> {
    let mut credentials = find_file(env).ok().flatten();
    let mut paths = Vec::new();
    while let Some(found) = credentials {
        paths.extend(files_named_in(|field| found.pointer(field).and_then(Value::as_str).map(str::to_owned)));
        credentials = found.get("source_credentials").cloned();
    }
    paths
}

impl ProviderSettings {
    /// The other servers that issue tokens; `None` if what is sent to them is not in the settings.
    pub fn token_servers(&self) -> Option<Vec<String>> {
        self.credentials.as_ref().map_or_else(|| Some(Vec::new()), token_servers)
    }
}

/// The token servers of these credentials that do not belong to Google. `None` if the secret is not in the
/// credentials, but comes from a file, a server or a program.
fn token_servers(credentials: &Value) -> Option<Vec<String>> {
    let mut servers = Vec::new();
    let mut next = Some(credentials);
    while let Some(found) = next {
        if found.get("credential_source").is_some() {
            return None;
        }
        let fields = ["token_uri", "token_url", "service_account_impersonation_url"];
        servers.extend(fields.iter().filter_map(|field| text(found, field)));
        next = found.get("source_credentials");
    }
    let is_google = |server: &String| {
        let url = reqwest::Url::parse(server).ok().filter(|url| url.scheme() == "https");
        url.is_some_and(|url| url.host_str().is_some_and(|host| host.ends_with(".googleapis.com")))
    };
    servers.retain(|server| !is_google(server));
    Some(servers)
}

fn find_file(env: &dyn Env) -> Result<Option<Value>, AuthFailure> {
    if let Some(file) = CredentialFile::find(env, "GOOGLE_APPLICATION_CREDENTIALS") {
        let path = file.path().display().to_string();
        let text = file
            .text()
            .map_err(|error| AuthFailure::refused(format!("GOOGLE_APPLICATION_CREDENTIALS names {path}: {error}")))?;
        return read(&path, &text).map(Some);
    }
    // A file that was named must exist; the default one may be missing, and then the metadata server is used.
    let defaults =
        CredentialFile::find(env, "CLOUDSDK_CONFIG").map(|folder| folder.join("application_default_credentials.json"));
    let text = defaults.and_then(|file| Some((file.path().display().to_string(), file.text().ok()?)));
    text.map(|(path, text)| read(&path, &text)).transpose()
}

fn read(path: &str, text: &str) -> Result<Value, AuthFailure> {
    let credentials: Value = serde_json::from_str(text)
        .map_err(|error| AuthFailure::refused(format!("The credentials file {path} is not JSON: {error}")))?;
    if credentials.is_object() {
        return Ok(credentials);
    }
    Err(AuthFailure::refused(format!("The credentials file {path} holds JSON, but no object.")))
}
