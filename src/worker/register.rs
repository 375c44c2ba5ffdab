//! Telling Restate where the worker is. A server that is not there yet is waited for. Must not know what is served.

use std::{error::Error, time::Duration};

use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::sleep;
use url::Url;

use super::log::Log;
use crate::{
    diagnostic::{Diagnostic, strip_controls_line},
    http::{Body, CONNECT_TIMEOUT, Network, display_url, http_client, is_local_host, local_client, strip_credentials},
};

/// The variable with the token that Restate wants to see, as its own tools name it.
pub(crate) const TOKEN_VARIABLE: &str = "RESTATE_AUTH_TOKEN";

/// The first wait before another attempt; each is twice as long as the one before.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The longest.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How long an answer may take: the server calls the worker meanwhile.
const TIMEOUT: Duration = Duration::from_secs(30);

/// No answer is longer: it describes the services of this worker.
const LONGEST_ANSWER: usize = 16 << 20;

/// Characters of an answer that are shown.
const LONGEST_WORDS: usize = 1000;

/// Where to tell, and what.
pub(crate) struct Registration {
    /// The server's admin API.
    admin: Url,
    /// Where the server reaches the worker.
    worker: Url,
    /// What the server wants to see.
    token: Option<String>,
    /// How connections are made.
    network: Network,
}

/// What came of an attempt.
enum Attempt {
    Done(Value),
    /// It may go well later.
    Later(String),
    Never(Diagnostic),
}

impl Registration {
    /// At this admin API, of a worker that the server reaches there. The variables say how connections are made, and the token.
    pub(crate) fn new(admin: Url, worker: Url, variable: impl Fn(&str) -> Option<String>) -> Self {
        let token = variable(TOKEN_VARIABLE).filter(|token| !token.is_empty());
        Registration { admin, worker, token, network: Network::new(variable) }
    }

    /// Tells, until it is taken.
    ///
    /// # Errors
    /// The server says that it never will be.
    pub(crate) async fn make(&self, log: &Log) -> Result<(), Box<Diagnostic>> {
        let (mut wait, mut told) = (FIRST_WAIT, None);
        loop {
            match self.attempt().await {
                Attempt::Done(answer) => {
                    told_of(log, self, &answer);
                    return Ok(());
                }
                Attempt::Never(problem) => return Err(Box::new(problem)),
                Attempt::Later(why) => {
                    // Once for each reason.
                    if told.as_ref() != Some(&why) {
                        log.warn(
                            "not registered yet, trying on",
                            &[("at", display_url(&self.admin).into()), ("why", why.as_str().into())],
                        );
                        told = Some(why);
                    }
                }
            }
            // Not all at the same time, when a server comes back that many wait for.
            sleep(wait.mul_f64(0.5 + fastrand::f64())).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    async fn attempt(&self) -> Attempt {
        let client = match self.client() {
            Ok(client) => client,
            Err(error) => {
                return Attempt::Never(Diagnostic::new(format!(
                    "cannot register at {}: {error}",
                    display_url(&self.admin)
                )));
            }
        };
        let mut address = self.admin.clone();
        address.set_path(&format!("{}/deployments", address.path().trim_end_matches('/')));
        // The worker at this address is this one from now on, whatever was there before.
        let body = json!({ "uri": self.worker.as_str(), "force": true });
        let mut request = client.post(address).timeout(TIMEOUT).header("content-type", "application/json");
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        match request.body(body.to_string()).send().await {
            Ok(answer) => self.understood(answer).await,
            Err(error) => Attempt::Later(unsent(&error)),
        }
    }

    fn client(&self) -> Result<Client, String> {
        let client = match is_local_host(self.admin.host()) && self.admin.scheme() == "http" {
            true => local_client(CONNECT_TIMEOUT),
            false => http_client(&self.network),
        };
        client.map_err(|error| error.to_string())
    }

    async fn understood(&self, answer: Response) -> Attempt {
        let status = answer.status();
        let text = Body::new(answer).whole(LONGEST_ANSWER).await.unwrap_or_else(|error| error.to_string().into_bytes());
        let text = String::from_utf8_lossy(&text);
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        if status.is_success() {
            return Attempt::Done(body);
        }
        let words = body["message"].as_str().unwrap_or(text.trim());
        let words: String = strip_controls_line(words).chars().take(LONGEST_WORDS).collect();
        // It may name what it was told.
        let words = strip_credentials(&self.worker, &strip_credentials(&self.admin, &words));
        let why = format!("it answered with status {}: {words}", status.as_u16());
        if is_passing(status, &body) {
            return Attempt::Later(format!(
                "{why} (it has to reach the worker at {}; --advertise says where)",
                display_url(&self.worker)
            ));
        }
        let problem = Diagnostic::new(format!("cannot register at {}: {why}", display_url(&self.admin)));
        Attempt::Never(match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                problem.with_hint("the variable RESTATE_AUTH_TOKEN holds the token that it wants")
            }
            // So the ingress answers.
            _ if matches!(status.as_u16(), 404 | 405) || words.starts_with("bad path") => {
                problem.with_hint("--register takes the admin API, http://HOST:9070 as a rule")
            }
            _ => problem,
        })
    }
}

/// Whether it may go well later: the server is starting, or does not reach the worker yet.
fn is_passing(status: StatusCode, body: &Value) -> bool {
    let is_about_worker = body["restate_code"].as_str().is_some_and(|code| code == "META0003");
    status.is_server_error() || is_about_worker || matches!(status.as_u16(), 408 | 425 | 429)
}

fn told_of(log: &Log, registration: &Registration, answer: &Value) {
    let services = answer["services"].as_array().into_iter().flatten();
    let services: Vec<Value> = services.map(|service| service["name"].clone()).collect();
    let fields = [
        ("at", display_url(&registration.admin).into()),
        ("worker", display_url(&registration.worker).into()),
        ("deployment", answer["id"].clone()),
        ("services", services.into()),
    ];
    log.info("registered", &fields);
}

fn unsent(error: &reqwest::Error) -> String {
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
