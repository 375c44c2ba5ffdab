//! HTTP client of one Restate API, with retries.

use std::{
    cell::{Cell, RefCell},
    error::Error as _,
    time::{Duration, Instant},
};

use backon::{ExponentialBuilder, Retryable};
use reqwest::{Method, header};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{Address, RemoteError, TOKEN_VARIABLE};
use crate::http::{Body, BodyError, CONNECT_TIMEOUT, MAX_MESSAGE, Network, http_client, local_client};

/// How long a server that has answered before may be unavailable: a large one takes minutes to restart.
const RETRY_TIMEOUT: Duration = Duration::from_secs(300);

/// How long a server that has never answered may be unavailable: the address is probably wrong.
const FIRST_CONTACT_TIMEOUT: Duration = Duration::from_secs(10);

const RETRY_DELAYS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(8));

/// Timeout of requests that do not wait for a run.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

const MAX_MESSAGE_CHARS: usize = 500;

/// Header that says whether an error is from the server or the invocation.
const ERROR_SOURCE_HEADER: &str = "x-restate-error-source";

pub(super) struct Client {
    pub(super) address: Address,
    http: reqwest::Client,
    token: Option<header::HeaderValue>,
    patience: Option<Duration>,
    has_answered: Cell<bool>,
    retry_reason: RefCell<Option<String>>,
}

pub(super) struct ApiRequest<'a> {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) key: Option<&'a str>,
    pub(super) body: Option<&'a Value>,
    pub(super) within: Duration,
}

impl ApiRequest<'_> {
    pub(super) fn get(url: Url) -> Self {
        ApiRequest { method: Method::GET, url, key: None, body: None, within: REQUEST_TIMEOUT }
    }

    pub(super) fn post(url: Url, body: &Value) -> ApiRequest<'_> {
        ApiRequest { method: Method::POST, body: Some(body), ..ApiRequest::get(url) }
    }
}

#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// Whether it is the result of an invocation rather than an error of the server.
    pub(super) is_of_invocation: bool,
    pub(super) body: Vec<u8>,
    /// Whether the server may have received the request before, because an answer was lost.
    pub(super) is_repeated: bool,
}

#[derive(Deserialize)]
struct ServerError {
    message: String,
    source: Option<String>,
}

struct SendFailure {
    message: String,
    is_transient: bool,
    /// Whether the server may have executed the request.
    may_have_run: bool,
}

impl Client {
    pub(super) fn new(address: &Address, variables: &[(String, String)]) -> Result<Self, RemoteError> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.to_owned());
        let http = match address.is_near() {
            true => local_client(CONNECT_TIMEOUT),
            false => http_client(&Network::new(variable)),
        };
        let http = http.map_err(|error| RemoteError::new(error.to_string()))?;
        let token = variable(TOKEN_VARIABLE).filter(|token| !token.trim().is_empty()).map(|token| {
            let mut value = header::HeaderValue::try_from(format!("Bearer {}", token.trim()))
                .map_err(|_| RemoteError::new(format!("{TOKEN_VARIABLE} has characters that no token has")).usage())?;
            value.set_sensitive(true);
            Ok(value)
        });
        Ok(Client {
            address: address.clone(),
            http,
            token: token.transpose()?,
            patience: None,
            has_answered: Cell::new(false),
            retry_reason: RefCell::default(),
        })
    }

    pub(super) fn with_patience(self, patience: Duration) -> Self {
        Client { patience: Some(patience), ..self }
    }

    pub(super) fn retry_reason(&self) -> Option<String> {
        self.retry_reason.borrow().clone()
    }

    /// Sends a request and retries it until there is a final answer.
    pub(super) async fn send(&self, request: &ApiRequest<'_>) -> Result<Reply, RemoteError> {
        let began = Instant::now();
        let is_repeated = Cell::new(false);
        let waits = ExponentialBuilder::new()
            .with_min_delay(RETRY_DELAYS.0)
            .with_max_delay(RETRY_DELAYS.1)
            .with_factor(2.0)
            .with_jitter()
            .without_max_times();
        let attempt = || self.send_once(request);
        let response = attempt
            .retry(waits)
            .when(|failure: &SendFailure| failure.is_transient && began.elapsed() < self.patience())
            .notify(|failure, _| {
                is_repeated.set(is_repeated.get() || failure.may_have_run);
                self.retry_reason.replace(Some(failure.message.clone()));
            })
            .await;
        self.retry_reason.take();
        match response {
            Ok(reply) => Ok(Reply { is_repeated: is_repeated.get(), ..reply }),
            Err(failure) => Err(self.gave_up(failure, began.elapsed())),
        }
    }

    fn patience(&self) -> Duration {
        let usual = if self.has_answered.get() { RETRY_TIMEOUT } else { FIRST_CONTACT_TIMEOUT };
        self.patience.unwrap_or(usual)
    }

    async fn send_once(&self, request: &ApiRequest<'_>) -> Result<Reply, SendFailure> {
        let mut builder = self.http.request(request.method.clone(), request.url.clone()).timeout(request.within);
        builder = builder.header(header::ACCEPT, "application/json");
        if let Some(token) = &self.token {
            builder = builder.header(header::AUTHORIZATION, token.clone());
        }
        if let Some(key) = request.key {
            builder = builder.header("idempotency-key", key);
        }
        if let Some(body) = request.body {
            builder = builder.header(header::CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let response = builder.send().await.map_err(|error| connection_failure(&error))?;
        let status = response.status().as_u16();
        let named = response.headers().get(ERROR_SOURCE_HEADER).map(|source| source.as_bytes() == b"invocation");
        let body = Body::new(response).whole(MAX_MESSAGE).await.map_err(|error| match error {
            BodyError::Lost(error) => connection_failure(&error),
            error => SendFailure { message: error.to_string(), is_transient: false, may_have_run: true },
        })?;
        let server_error = (status >= 400).then(|| serde_json::from_slice::<ServerError>(&body).ok()).flatten();
        let is_named = || {
            server_error
                .as_ref()
                .and_then(|server_error| server_error.source.as_deref())
                .map(|source| source == "invocation")
        };
        let is_of_invocation = named.or_else(is_named).unwrap_or(false);
        if !is_of_invocation && (status == 429 || (500..600).contains(&status)) {
            let message = server_error.map(|server_error| server_error.message).unwrap_or_default();
            let message = format!("it answers {status}{}", suffix(&message));
            return Err(SendFailure { message, is_transient: status != 501, may_have_run: true });
        }
        self.has_answered.set(true);
        Ok(Reply { status, is_of_invocation, body, is_repeated: false })
    }

    fn gave_up(&self, failure: SendFailure, after: Duration) -> RemoteError {
        let address = &self.address;
        let tried =
            if after > Duration::from_secs(2) { format!(" (for {} s)", after.as_secs()) } else { String::new() };
        let error = RemoteError::new(format!("the server at {address} cannot be asked{tried}: {}", failure.message));
        if self.has_answered.get() {
            return error.with_hint("the same command again, once the server is back, goes on");
        }
        error.with_hint("is the server running, and is this its address?")
    }

    pub(super) fn refusal(&self, reply: &Reply) -> RemoteError {
        let (address, status) = (&self.address, reply.status);
        let message = message_of(reply).unwrap_or_default();
        if matches!(status, 401 | 403) {
            let hint = match self.token {
                Some(_) => format!("the server does not take the token in {TOKEN_VARIABLE}"),
                None => format!("put a token into {TOKEN_VARIABLE}"),
            };
            let error = format!("the server at {address} lets nobody in without a key of its own (status {status})");
            return RemoteError::new(error + &suffix(&message)).with_hint(hint);
        }
        if reply.status < 300 || message.is_empty() {
            let what =
                format!("what answers at {address} is no Restate server: status {status}, and no JSON as expected");
            return RemoteError::new(what)
                .with_hint("the address of its ingress is wanted, such as http://127.0.0.1:8080")
                .usage();
        }
        RemoteError::new(format!("the server at {address} answered {status}{}", suffix(&message)))
    }
}

pub(super) fn message_of(reply: &Reply) -> Option<String> {
    let server_error: ServerError = serde_json::from_slice(&reply.body).ok()?;
    Some(server_error.message.chars().take(MAX_MESSAGE_CHARS).collect())
}

fn suffix(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// Error messages of reqwest include the URL; only the cause is used.
fn connection_failure(error: &reqwest::Error) -> SendFailure {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let message = match error {
        error if error.is_timeout() => "it did not answer in time".to_owned(),
        error if error.is_connect() => format!("no connection ({cause})"),
        _ => format!("the connection was lost ({cause})"),
    };
    let is_transient = !error.is_builder() && error.source().is_some();
    SendFailure { message, is_transient, may_have_run: !error.is_connect() }
}
