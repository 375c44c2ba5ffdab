//! Asking a server for a token: few attempts, a short time, and plain words when it fails.
//!
//! Owns: the client to use, what is tried again, the words of refusals. Must not know: any vendor's requests.

use std::{rc::Rc, time::Duration};

use reqwest::{Client, RequestBuilder};
use serde_json::Value;

use super::{kept::Secrets, request::AuthFailure};
use crate::{
    http::{Body, BodyError, http_client, near_client},
    provider::{
        Env, ProviderErrorKind,
        words::{root_cause, shortened},
    },
};

/// How long a token server may take to answer.
const FAR_TIMEOUT: Duration = Duration::from_secs(30);
/// The machine's own servers answer at once, or there is none.
const NEAR_TIMEOUT: Duration = Duration::from_secs(3);
const NEAR_CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The waits before the second attempt and the third.
const WAITS: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(900)];
/// No answer is longer; tokens are some kilobytes.
const MAX_ANSWER: usize = 1 << 20;

/// Who asks: with which variables, and where the secrets are remembered that come up.
#[derive(Clone)]
pub(super) struct Asker {
    env: Rc<dyn Env>,
    secrets: Secrets,
}

/// Who is asked.
#[derive(Clone, Copy)]
pub(super) struct Server {
    /// As it stands at the beginning of a sentence.
    pub name: &'static str,
    /// A server of the machine itself, which no proxy leads to.
    pub is_near: bool,
}

/// Why there is no answer that could hold a token.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The request cannot be made at all.
    Wrong(String),
    Unreachable(String),
    Refused {
        status: u16,
        words: String,
    },
}

impl Server {
    /// What it means for the credentials that this server did not answer.
    pub(super) fn failure(self, no_answer: NoAnswer) -> AuthFailure {
        let name = self.name;
        match no_answer {
            NoAnswer::Wrong(why) => AuthFailure::configuration(format!("{name} cannot be asked for a token: {why}")),
            NoAnswer::Unreachable(why) => AuthFailure {
                kind: ProviderErrorKind::Connection,
                message: format!("{name} could not be reached: {why}"),
                hint: None,
            },
            NoAnswer::Refused { status, words } => {
                let words = if words.is_empty() { words } else { format!(": {words}") };
                AuthFailure::refused(format!("{name} refused the credentials (status {status}){words}"))
            }
        }
    }

    /// An answer that cannot be used.
    pub(super) fn no_token(self, answer: &[u8]) -> AuthFailure {
        let why = if serde_json::from_slice::<Value>(answer).is_ok() { "has no token in it" } else { "is not JSON" };
        AuthFailure::refused(format!("{} answered, but the answer {why}.", self.name))
    }
}

impl Asker {
    pub(super) fn new(env: Rc<dyn Env>, secrets: Secrets) -> Self {
        Asker { env, secrets }
    }

    /// The value of a variable; set but empty counts as unset.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        self.env.get(name).filter(|value| !value.trim().is_empty())
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// The environment itself.
    pub(super) fn env(&self) -> &dyn Env {
        &*self.env
    }

    /// A client for servers far away, and one for servers of the machine itself.
    pub(super) fn clients(&self) -> Result<(Client, Client), AuthFailure> {
        let both = self.far_client().and_then(|far| Ok((far, near()?)));
        both.map_err(|why| AuthFailure::configuration(format!("No request for a token can be made: {why}")))
    }

    /// Asks, up to three times if the server says that it is busy or the connection breaks.
    pub(super) async fn ask(
        &self,
        server: Server,
        request: impl Fn(&Client) -> RequestBuilder,
    ) -> Result<Vec<u8>, NoAnswer> {
        let client = if server.is_near { near() } else { self.far_client() };
        let client = client.map_err(NoAnswer::Wrong)?;
        let mut waits = WAITS.into_iter();
        loop {
            let failure = match send(request(&client), server).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let again = match &failure {
                NoAnswer::Wrong(_) => false,
                // Nobody is there: the machine is not one of the cloud's.
                NoAnswer::Unreachable(_) => !server.is_near,
                NoAnswer::Refused { status, .. } => matches!(status, 408 | 410 | 429) || *status >= 500,
            };
            match waits.next().filter(|_| again) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(failure),
            }
        }
    }

    /// The client of the run, with its proxies and certificates.
    fn far_client(&self) -> Result<Client, String> {
        http_client(&self.env.network()).map_err(|error| error.to_string())
    }
}

fn near() -> Result<Client, String> {
    near_client(NEAR_CONNECT_TIMEOUT).map_err(|error| error.to_string())
}

async fn send(request: RequestBuilder, server: Server) -> Result<Vec<u8>, NoAnswer> {
    let timeout = if server.is_near { NEAR_TIMEOUT } else { FAR_TIMEOUT };
    let answer = request.timeout(timeout).send().await.map_err(not_sent)?;
    let status = answer.status();
    let body = Body::new(answer).whole(MAX_ANSWER).await.map_err(|error| match error {
        BodyError::Lost(error) => not_sent(error),
        // The same answer would come again.
        error => NoAnswer::Wrong(error.to_string()),
    })?;
    if status.is_success() {
        return Ok(body);
    }
    Err(NoAnswer::Refused { status: status.as_u16(), words: words(&body) })
}

fn not_sent(error: reqwest::Error) -> NoAnswer {
    if error.is_builder() {
        return NoAnswer::Wrong(root_cause(&error.without_url()));
    }
    // Of the URL no more than the host, as the rest may carry secrets.
    let port = |url: &reqwest::Url| url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = error.url().and_then(|url| Some(format!(" ({}{})", url.host_str()?, port(url)))).unwrap_or_default();
    let is_timeout = error.is_timeout();
    let cause = root_cause(&error.without_url());
    let cause = if is_timeout { "it did not answer in time" } else { cause.as_str() };
    NoAnswer::Unreachable(format!("{cause}{host}"))
}

/// What a server says about a refusal, wherever it puts it.
fn words(body: &[u8]) -> String {
    const PLACES: [&str; 7] =
        ["/error_description", "/error/message", "/error", "/message", "/Message", "/Error/Message", "/code"];
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(json) => {
            let found = PLACES.iter().find_map(|place| json.pointer(place).and_then(Value::as_str));
            found.unwrap_or_default().to_owned()
        }
        // A page in HTML says nothing that helps.
        Err(_) if body.trim_ascii_start().starts_with(b"<") => String::new(),
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    // Entra ID adds lines with identifiers of the request.
    shortened(text.trim().lines().next().unwrap_or_default().to_owned())
}

/// A form's fields as the body of a request.
pub(super) fn form(fields: &[(&str, &str)]) -> String {
    let encode = |text| percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC);
    fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect::<Vec<_>>().join("&")
}

/// A form on its way to a server.
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
    fn refusals_are_told_in_the_servers_words() {
        let entra = r#"{"error":"invalid_client","error_description":"AADSTS7: Wrong.\r\nTrace ID: 1"}"#;
        for (body, expected) in [
            (entra, "AADSTS7: Wrong."),
            (r#"{"error":{"code":403,"message":"Denied"}}"#, "Denied"),
            (r#"{"error":"invalid_grant"}"#, "invalid_grant"),
            ("<html>no</html>", ""),
            ("Identity not found\n", "Identity not found"),
        ] {
            assert_eq!(words(body.as_bytes()), expected);
        }
    }
}
