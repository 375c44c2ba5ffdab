//! Registers the worker at Restate's admin API, and retries until the server is there.

use std::{error::Error, time::Duration};

use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::sleep;
use url::Url;

use super::log::Log;
use lmthing_base::diagnostic::{Diagnostic, strip_controls_line};
use lmthing_system::http::{
    Body, CONNECT_TIMEOUT, ClientError, Network, display_url, http_client, is_local_host, local_client,
    strip_credentials,
};

/// The name that Restate's own tools use.
pub const TOKEN_VARIABLE: &str = "RESTATE_AUTH_TOKEN";

const FIRST_WAIT: Duration = Duration::from_millis(250);

const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The server calls the worker before it answers.
const TIMEOUT: Duration = Duration::from_secs(30);

const MAX_RESPONSE: usize = 16 << 20;

const MAX_MESSAGE_CHARS: usize = 1000;

pub struct Registration {
    admin: Url,
    worker: Url,
    token: Option<String>,
    network: Network,
}

enum RegistrationAttempt {
    Done(Value),
    Retry(String),
    Failed(Diagnostic),
}

impl Registration {
    /// `variable` reads the environment: proxy settings and the bearer token.
    pub fn new(admin: Url, worker: Url, variable: impl Fn(&str) -> Option<String>) -> Self {
        let token = variable(TOKEN_VARIABLE).filter(|token| !token.is_empty());
        Registration { admin, worker, token, network: Network::new(variable) }
    }

    /// Registers the worker, retrying until the server accepts or refuses it for good.
    pub async fn register(&self, log: &Log) -> Result<(), Box<Diagnostic>> {
        let (mut wait, mut logged_reason) = (FIRST_WAIT, None);
        loop {
            match self.attempt().await {
                RegistrationAttempt::Done(response) => {
                    log_registered(log, self, &response);
                    return Ok(());
                }
                RegistrationAttempt::Failed(problem) => return Err(Box::new(problem)),
                RegistrationAttempt::Retry(why) => {
                    // Log each reason once.
                    if logged_reason.as_ref() != Some(&why) {
                        log.warn(
                            "not registered yet, trying on",
                            &[("at", display_url(&self.admin).into()), ("why", why.as_str().into())],
                        );
                        logged_reason = Some(why);
                    }
                }
            }
            // With jitter, as many workers may wait for the same server.
            sleep(wait.mul_f64(0.5 + fastrand::f64())).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    async fn attempt(&self) -> RegistrationAttempt {
        let client = match self.client() {
            Ok(client) => client,
            Err(error) => {
                return RegistrationAttempt::Failed(Diagnostic::new(format!(
                    "cannot register at {}: {error}",
                    display_url(&self.admin)
                )));
            }
        };
        let mut address = self.admin.clone();
        address.set_path(&format!("{}/deployments", address.path().trim_end_matches('/')));
        // `force` replaces whatever was registered at this address.
        let body = json!({ "uri": self.worker.as_str(), "force": true });
        let mut request = client.post(address).timeout(TIMEOUT).header("content-type", "application/json");
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        match request.body(body.to_string()).send().await {
            Ok(response) => self.read_response(response).await,
            Err(error) => RegistrationAttempt::Retry(send_error(&error)),
        }
    }

    fn client(&self) -> Result<Client, ClientError> {
        match is_local_host(self.admin.host()) && self.admin.scheme() == "http" {
            true => local_client(CONNECT_TIMEOUT),
            false => http_client(&self.network),
        }
    }

    async fn read_response(&self, response: Response) -> RegistrationAttempt {
        let status = response.status();
        let text = Body::new(response).whole(MAX_RESPONSE).await.unwrap_or_else(|error| error.to_string().into_bytes());
        let text = String::from_utf8_lossy(&text);
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        if status.is_success() {
            return RegistrationAttempt::Done(body);
        }
        let message = body["message"].as_str().unwrap_or(text.trim());
        let message: String = strip_controls_line(message).chars().take(MAX_MESSAGE_CHARS).collect();
        // The message may repeat the addresses, which may contain a password.
        let message = strip_credentials(&self.worker, &strip_credentials(&self.admin, &message));
        let why = format!("it answered with status {}: {message}", status.as_u16());
        if is_transient(status, &body) {
            return RegistrationAttempt::Retry(format!(
                "{why} (it has to reach the worker at {}; --advertise says where)",
                display_url(&self.worker)
            ));
        }
        let problem = Diagnostic::new(format!("cannot register at {}: {why}", display_url(&self.admin)));
        RegistrationAttempt::Failed(match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                problem.with_hint("the variable RESTATE_AUTH_TOKEN holds the token that it wants")
            }
            // The ingress answers like this.
            _ if matches!(status.as_u16(), 404 | 405) || message.starts_with("bad path") => {
                problem.with_hint("--register takes the admin API, http://HOST:9070 as a rule")
            }
            _ => problem,
        })
    }
}

/// Whether a later attempt may succeed: the server is starting or cannot reach the worker yet.
fn is_transient(status: StatusCode, body: &Value) -> bool {
    let is_about_worker = body["restate_code"].as_str().is_some_and(|code| code == "META0003");
    status.is_server_error() || is_about_worker || matches!(status.as_u16(), 408 | 425 | 429)
}

fn log_registered(log: &Log, registration: &Registration, response: &Value) {
    let services = response["services"].as_array().into_iter().flatten();
    let services: Vec<Value> = services.map(|service| service["name"].clone()).collect();
    let fields = [
        ("at", display_url(&registration.admin).into()),
        ("worker", display_url(&registration.worker).into()),
        ("deployment", response["id"].clone()),
        ("services", services.into()),
    ];
    log.info("registered", &fields);
}

fn send_error(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    match (error.is_timeout(), error.is_connect()) {
        (true, _) => "it did not answer in time".to_owned(),
        (_, true) => format!("no connection ({cause})"),
        _ => format!("the connection broke ({cause})"),
    }
}
