//! Google's credentials files: where they are, and what stands in them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{
    provider::auth::{ask::Asker, request::AuthFailure},
    user_file::{self, MAX_SETTINGS},
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
    if let Some(credentials) = given {
        return Ok(Some(credentials.clone()));
    }
    if let Some(path) = asker.variable("GOOGLE_APPLICATION_CREDENTIALS") {
        let text = user_file::read_text(Path::new(&path), MAX_SETTINGS)
            .map_err(|error| AuthFailure::refused(format!("GOOGLE_APPLICATION_CREDENTIALS names {path}: {error}")))?;
        return read(&path, &text).map(Some);
    }
    // A file that was named must be there; one that is only usual may be missing, and the machine asked in its place.
    let Some(path) = gcloud_file(asker) else { return Ok(None) };
    match user_file::read_text(&path, MAX_SETTINGS) {
        Ok(text) => read(&path.display().to_string(), &text).map(Some),
        Err(_) => Ok(None),
    }
}

fn gcloud_file(asker: &Asker) -> Option<PathBuf> {
    let set = |name: &str| asker.variable(name).map(PathBuf::from);
    let folder = set("CLOUDSDK_CONFIG")
        .or_else(|| set("HOME").map(|home| home.join(".config/gcloud")))
        .or_else(|| set("APPDATA").map(|data| data.join("gcloud")))?;
    Some(folder.join("application_default_credentials.json"))
}

fn read(path: &str, text: &str) -> Result<Value, AuthFailure> {
    let credentials: Value = serde_json::from_str(text)
        .map_err(|error| AuthFailure::refused(format!("The credentials file {path} is not JSON: {error}")))?;
    if credentials.is_object() {
        return Ok(credentials);
    }
    Err(AuthFailure::refused(format!("The credentials file {path} holds JSON, but no object.")))
}
