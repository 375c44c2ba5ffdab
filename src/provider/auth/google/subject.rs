//! Where the word of the other identity provider comes from: a file, a server, a program, or keys of AWS.

use reqwest::Client;
use serde_json::Value;

use super::{aws_subject, command, credentials::text};
use crate::provider::auth::{
    ask::{Asker, Server},
    request::AuthFailure,
    sources::KeyFile,
};

const ISSUER: Server = Server { name: "The server named by credential_source.url", is_near: false };

/// The subject token of `external_account` credentials.
pub(super) async fn token(asker: &Asker, credentials: &Value) -> Result<String, AuthFailure> {
    let Some(source) = credentials.get("credential_source").filter(|source| source.is_object()) else {
        return Err(AuthFailure::refused("The Google credentials have no credential_source."));
    };
    if let Some(environment) = text(source, "environment_id") {
        return aws_subject::token(asker, credentials, source, &environment).await;
    }
    let path = text(source, "file").unwrap_or_default();
    if let Some(file) = KeyFile::named_by("/credential_source/file", &path) {
        let content = file.needed("credential_source.file of the Google credentials").await?;
        return in_format(&content, source, &path);
    }
    if let Some(url) = text(source, "url") {
        let answer = asker.ask(server_at(&url), |client| request(client, &url, source)).await;
        let answer = answer.map_err(|no_answer| ISSUER.failure(no_answer))?;
        return in_format(&String::from_utf8_lossy(&answer), source, "the answer of credential_source.url");
    }
    if let Some(executable) = source.get("executable") {
        return command::token(asker, credentials, executable).await;
    }
    Err(AuthFailure::refused(
        "The credential_source of the Google credentials is of an unknown kind: it has none of file, url, executable and \
         environment_id.",
    ))
}

/// The machine's own server is asked without a proxy.
fn server_at(url: &str) -> Server {
    let is_near = ["http://169.254.", "http://127.", "http://localhost", "http://[::1]", "http://metadata."];
    Server { is_near: is_near.iter().any(|place| url.starts_with(place)), ..ISSUER }
}

fn request(client: &Client, url: &str, source: &Value) -> reqwest::RequestBuilder {
    let headers = source.get("headers").and_then(Value::as_object);
    let headers = headers.into_iter().flatten().filter_map(|(name, value)| Some((name, value.as_str()?)));
    headers.fold(client.get(url), |request, (name, value)| request.header(name, value))
}

/// The token in a text: the text itself, or a field of its JSON.
fn in_format(content: &str, source: &Value, place: &str) -> Result<String, AuthFailure> {
    let is_json = source.pointer("/format/type").and_then(Value::as_str) == Some("json");
    let token = if is_json {
        let Some(name) = source.pointer("/format/subject_token_field_name").and_then(Value::as_str) else {
            let message = "The credential_source of the Google credentials has no format.subject_token_field_name.";
            return Err(AuthFailure::refused(message));
        };
        let json: Value = serde_json::from_str(content)
            .map_err(|_| AuthFailure::refused(format!("The subject token in {place} is not JSON.")))?;
        text(&json, name).ok_or_else(|| {
            AuthFailure::refused(format!(
                "The JSON in {place} has no text \"{name}\", which should be the subject token."
            ))
        })?
    } else {
        content.trim().to_owned()
    };
    if token.is_empty() {
        return Err(AuthFailure::refused(format!("The subject token in {place} is empty.")));
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_token_is_the_text_or_a_field_of_it() {
        let json = json!({ "format": { "type": "json", "subject_token_field_name": "id_token" } });
        assert_eq!(in_format(" a.b.c\n", &json!({}), "f").as_deref(), Ok("a.b.c"));
        assert_eq!(in_format(r#"{"id_token":"a.b.c"}"#, &json, "f").as_deref(), Ok("a.b.c"));
        for (content, words) in [("{}", "no text \"id_token\""), ("a.b.c", "not JSON")] {
            assert!(in_format(content, &json, "f").unwrap_err().message.contains(words));
        }
        assert!(in_format("\n", &json!({}), "f").unwrap_err().message.contains("empty"));
    }
}
