//! Requests to servers that issue tokens: few attempts, short timeouts, readable errors.

use std::{rc::Rc, time::Duration};

use reqwest::{Client, RequestBuilder};
use serde_json::Value;

use super::{credential_cache::Secrets, request::AuthFailure};
use crate::{
    Env, ProviderErrorKind,
    error_text::{root_cause, truncated},
};
use lmthing_system::http::{self, Body, BodyError, ClientError, http_client};

const REMOTE_TIMEOUT: Duration = Duration::from_secs(30);
/// Servers of the machine itself answer at once, or do not exist.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(3);
const LOCAL_CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const WAITS: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(900)];
const MAX_RESPONSE: usize = 1 << 20;

#[derive(Clone)]
pub(super) struct TokenClient {
    env: Rc<dyn Env>,
    secrets: Secrets,
}

#[derive(Clone, Copy)]
pub(super) struct Server {
    pub name: &'static str,
    /// Whether it is a server of the machine itself, which must not be reached through a proxy.
    pub is_local: bool,
}

#[derive(Debug)]
pub(super) enum TokenRequestError {
    Invalid(String),
    Unreachable(String),
    Refused { status: u16, message: String },
}

impl Server {
    pub(super) fn failure(self, error: TokenRequestError) -> AuthFailure {
        let name = self.name;
        match error {
            TokenRequestError::Invalid(why) => {
                AuthFailure::configuration(format!("{name} cannot be asked for a token: {why}"))
            }
            TokenRequestError::Unreachable(why) => AuthFailure {
                kind: ProviderErrorKind::Connection,
                message: format!("{name} could not be reached: {why}"),
                hint: None,
            },
            TokenRequestError::Refused { status, message } => {
                let message = if message.is_empty() { message } else { format!(": {message}") };
                AuthFailure::refused(format!("{name} refused the credentials (status {status}){message}"))
            }
        }
    }

    pub(super) fn missing_token(self, answer: &[u8]) -> AuthFailure {
        let why = if serde_json::from_slice::<Value>(answer).is_ok() { "has no token in it" } else { "is not JSON" };
        AuthFailure::refused(format!("{} answered, but the answer {why}.", self.name))
    }
}

impl TokenClient {
    pub(super) fn new(env: Rc<dyn Env>, secrets: Secrets) -> Self {
        TokenClient { env, secrets }
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        self.env.get(name).filter(|value| !value.trim().is_empty())
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    pub(super) fn env(&self) -> &dyn Env {
        &*self.env
    }

    pub(super) fn clients(&self) -> Result<(Client, Client), AuthFailure> {
        let clients = self.remote_client().and_then(|remote| Ok((remote, local_client()?)));
        clients.map_err(|why| AuthFailure::configuration(format!("No request for a token can be made: {why}")))
    }

    pub(super) async fn send(
        &self,
        server: Server,
        request: impl Fn(&Client) -> RequestBuilder,
    ) -> Result<Vec<u8>, TokenRequestError> {
        let client = if server.is_local { local_client() } else { self.remote_client() };
        let client = client.map_err(|error| TokenRequestError::Invalid(error.to_string()))?;
        let mut waits = WAITS.into_iter();
        loop {
            let failure = match send(request(&client), server).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let again = match &failure {
                TokenRequestError::Invalid(_) => false,
                // No such server: the machine does not belong to that cloud.
                TokenRequestError::Unreachable(_) => !server.is_local,
                TokenRequestError::Refused { status, .. } => matches!(status, 408 | 410 | 429) || *status >= 500,
            };
            match waits.next().filter(|_| again) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(failure),
            }
        }
    }

    fn remote_client(&self) -> Result<Client, ClientError> {
        http_client(&self.env.network())
    }
}

fn local_client() -> Result<Client, ClientError> {
    http::local_client(LOCAL_CONNECT_TIMEOUT)
}

async fn send(request: RequestBuilder, server: Server) -> Result<Vec<u8>, TokenRequestError> {
    let timeout = if server.is_local { LOCAL_TIMEOUT } else { REMOTE_TIMEOUT };
    let answer = request.timeout(timeout).send().await.map_err(request_error)?;
    let status = answer.status();
    let body = Body::new(answer).whole(MAX_RESPONSE).await.map_err(|error| match error {
        BodyError::Lost(error) => request_error(error),
        error => TokenRequestError::Invalid(error.to_string()),
    })?;
    if status.is_success() {
        return Ok(body);
    }
    Err(TokenRequestError::Refused { status: status.as_u16(), message: refusal_message(&body) })
}

fn request_error(error: reqwest::Error) -> TokenRequestError {
    if error.is_builder() {
        return TokenRequestError::Invalid(root_cause(&error.without_url()));
    }
    // Only the host: other parts of the URL may contain secrets.
    let port = |url: &reqwest::Url| url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = error.url().and_then(|url| Some(format!(" ({}{})", url.host_str()?, port(url)))).unwrap_or_default();
    let is_timeout = error.is_timeout();
    let cause = root_cause(&error.without_url());
    let cause = if is_timeout { "it did not answer in time" } else { cause.as_str() };
    TokenRequestError::Unreachable(format!("{cause}{host}"))
}

fn refusal_message(body: &[u8]) -> String {
    const POINTERS: [&str; 7] =
        ["/error_description", "/error/message", "/error", "/message", "/Message", "/Error/Message", "/code"];
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(json) => {
            let found = POINTERS.iter().find_map(|pointer| json.pointer(pointer).and_then(Value::as_str));
            found.unwrap_or_default().to_owned()
        }
        Err(_) if body.trim_ascii_start().starts_with(b"<") => String::new(),
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    truncated(text.trim().lines().next().unwrap_or_default().to_owned())
}

pub(super) fn form(fields: &[(&str, &str)]) -> String {
    let encode = |text| percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC);
    fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect::<Vec<_>>().join("&")
}

pub(super) fn post_form(client: &Client, url: &str, fields: &[(&str, &str)]) -> RequestBuilder {
    client
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
        .header("accept", "application/json")
        .body(form(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_the_servers_message() {
        let entra = r#"{"error":"invalid_client","error_description":"AADSTS7: Wrong.\r\nTrace ID: 1"}"#;
        for (body, expected) in [
            (entra, "AADSTS7: Wrong."),
            (r#"{"error":{"code":403,"message":"Denied"}}"#, "Denied"),
            (r#"{"error":"invalid_grant"}"#, "invalid_grant"),
            ("<html>no</html>", ""),
            ("Identity not found\n", "Identity not found"),
        ] {
            assert_eq!(refusal_message(body.as_bytes()), expected);
        }
    }
}
