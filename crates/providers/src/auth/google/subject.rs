//! Subject tokens of other identity providers: from a file, a server, an executable, or AWS keys.

use reqwest::Client;
use serde_json::Value;

use super::{aws_subject, command, credentials::text};
use crate::auth::{
    request::AuthFailure,
    sources::CredentialFile,
    token_client::{Server, TokenClient},
};

const ISSUER: Server = Server { name: "The server named by credential_source.url", is_local: false };

pub(super) async fn token(tokens: &TokenClient, credentials: &Value) -> Result<String, AuthFailure> {
    let Some(source) = credentials.get("credential_source").filter(|source| source.is_object()) else {
        return Err(AuthFailure::refused("The Google credentials have no credential_source."));
    };
    if let Some(environment) = text(source, "environment_id") {
        return aws_subject::token(tokens, credentials, source, &environment).await;
    }
    let path = text(source, "file").unwrap_or_default();
    if let Some(file) = CredentialFile::from_field("/credential_source/file", &path) {
        let content = file.required_text("credential_source.file of the Google credentials").await?;
        return parse_token(&content, source, &path);
    }
    if let Some(url) = text(source, "url") {
        let answer = tokens.send(server_at(&url), |client| request(client, &url, source)).await;
        let answer = answer.map_err(|error| ISSUER.failure(error))?;
        return parse_token(&String::from_utf8_lossy(&answer), source, "the answer of credential_source.url");
    }
    if let Some(executable) = source.get("executable") {
        return command::token(tokens, credentials, executable).await;
    }
    Err(AuthFailure::refused(
        "The credential_source of the Google credentials is of an unknown kind: it has none of file, url, executable and \
         environment_id.",
    ))
}

fn server_at(url: &str) -> Server {
    let is_local = ["http://169.254.", "http://127.", "http://localhost", "http://[::1]", "http://metadata."];
    Server { is_local: is_local.iter().any(|place| url.starts_with(place)), ..ISSUER }
}

fn request(client: &Client, url: &str, source: &Value) -> reqwest::RequestBuilder {
    let headers = source.get("headers").and_then(Value::as_object);
    let headers = headers.into_iter().flatten().filter_map(|(name, value)| Some((name, value.as_str()?)));
    headers.fold(client.get(url), |request, (name, value)| request.header(name, value))
}

fn parse_token(content: &str, source: &Value, place: &str) -> Result<String, AuthFailure> {
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
        assert_eq!(parse_token(" a.b.c\n", &json!({}), "f").as_deref(), Ok("a.b.c"));
        assert_eq!(parse_token(r#"{"id_token":"a.b.c"}"#, &json, "f").as_deref(), Ok("a.b.c"));
        for (content, words) in [("{}", "no text \"id_token\""), ("a.b.c", "not JSON")] {
            assert!(parse_token(content, &json, "f").unwrap_err().message.contains(words));
        }
        assert!(parse_token("\n", &json!({}), "f").unwrap_err().message.contains("empty"));
    }
}
