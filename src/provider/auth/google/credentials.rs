//! Google's credentials files: where they are, and what stands in them.

use std::path::PathBuf;

use serde_json::Value;

use crate::provider::{
    Env,
    auth::{
        ask::Asker,
        request::AuthFailure,
        sources::{KeyFile, named_in},
    },
};

/// What tokens are asked for.
pub(super) const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// A text that credentials may have.
pub(super) fn text(credentials: &Value, name: &str) -> Option<String> {
    credentials.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A field that credentials cannot do without.
pub(super) fn field<'a>(credentials: &'a Value, name: &str) -> Result<&'a str, AuthFailure> {
    credentials
        .get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| AuthFailure::refused(format!("The Google credentials have no {name}.")))
}

/// What was given, else the file named by `GOOGLE_APPLICATION_CREDENTIALS`, else gcloud's own.
pub(super) fn find(asker: &Asker, given: Option<&Value>) -> Result<Option<Value>, AuthFailure> {
    match given {
        Some(credentials) => Ok(Some(credentials.clone())),
        None => find_file(asker.env()),
    }
}

/// The files that the user's own credentials name.
pub(in crate::provider::auth) fn named_paths(env: &dyn Env) -> Vec<PathBuf> {
    let mut credentials = find_file(env).ok().flatten();
    let mut paths = Vec::new();
    while let Some(found) = credentials {
        paths.extend(named_in(|field| found.pointer(field).and_then(Value::as_str).map(str::to_owned)));
        // Credentials that are traded for others have these in them.
        credentials = found.get("source_credentials").cloned();
    }
    paths
}

/// The servers that are asked for tokens with these credentials, others than Google's. `None` if the secret is not in them, but
/// in a file, with a server or a program.
pub(in crate::provider) fn token_servers(credentials: &Value) -> Option<Vec<String>> {
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
    if let Some(file) = KeyFile::find(env, "GOOGLE_APPLICATION_CREDENTIALS") {
        let path = file.path().display().to_string();
        let text = file
            .text()
            .map_err(|error| AuthFailure::refused(format!("GOOGLE_APPLICATION_CREDENTIALS names {path}: {error}")))?;
        return read(&path, &text).map(Some);
    }
    // A file that was named must be there; one that is only usual may be missing, and the machine asked in its place.
    let usual = KeyFile::find(env, "CLOUDSDK_CONFIG").map(|folder| folder.join("application_default_credentials.json"));
    let text = usual.and_then(|file| Some((file.path().display().to_string(), file.text().ok()?)));
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
