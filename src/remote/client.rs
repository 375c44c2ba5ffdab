//! One request with its answer, sent again while the server is away or has no room. Must not know what is asked.

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

/// How long a server that has answered before may be away: a large one takes minutes to restart.
const PATIENCE: Duration = Duration::from_secs(300);

/// How long one that has never answered may be: most likely nothing is there.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);

/// The first wait before a request is sent again, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(8));

/// How long an answer may take that is not waited for.
const AT_ONCE: Duration = Duration::from_secs(30);

/// Characters of a message of the server that are shown.
const SHOWN: usize = 500;

/// Says where an error is from.
const SOURCE: &str = "x-restate-error-source";

/// One API of a server.
pub(super) struct Client {
    pub(super) address: Address,
    http: reqwest::Client,
    token: Option<header::HeaderValue>,
    patience: Option<Duration>,
    has_answered: Cell<bool>,
    /// Why requests are being sent again, while they are.
    trouble: RefCell<Option<String>>,
}

/// What is asked.
pub(super) struct Ask<'a> {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) key: Option<&'a str>,
    pub(super) body: Option<&'a Value>,
    /// How long the answer may take.
    pub(super) within: Duration,
}

impl Ask<'_> {
    pub(super) fn get(url: Url) -> Self {
        Ask { method: Method::GET, url, key: None, body: None, within: AT_ONCE }
    }

    pub(super) fn post(url: Url, body: &Value) -> Ask<'_> {
        Ask { method: Method::POST, body: Some(body), ..Ask::get(url) }
    }
}

/// What the server answered.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// Whether it is what an invocation came to, and not the server's own word.
    pub(super) is_of_invocation: bool,
    pub(super) body: Vec<u8>,
    /// Whether the server may have heard the same before: an answer was lost.
    pub(super) is_repeated: bool,
}

/// An error as the server writes it.
#[derive(Deserialize)]
struct Said {
    message: String,
    source: Option<String>,
}

/// Why there is no answer to go on with.
struct Trouble {
    words: String,
    is_passing: bool,
    /// Whether the server may have done what was asked.
    may_be_heard: bool,
}

impl Client {
    /// A client for this thread.
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
            trouble: RefCell::default(),
        })
    }

    /// The same, which gives up after this time.
    pub(super) fn with_patience(self, patience: Duration) -> Self {
        Client { patience: Some(patience), ..self }
    }

    /// Why requests are being sent again, while they are.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.borrow().clone()
    }

    /// Asks, until there is an answer that no further request would change.
    pub(super) async fn ask(&self, ask: &Ask<'_>) -> Result<Reply, RemoteError> {
        let began = Instant::now();
        let is_repeated = Cell::new(false);
        let waits = ExponentialBuilder::new()
            .with_min_delay(WAITS.0)
            .with_max_delay(WAITS.1)
            .with_factor(2.0)
            .with_jitter()
            .without_max_times();
        let asked = || self.ask_once(ask);
        let answer = asked
            .retry(waits)
            .when(|trouble: &Trouble| trouble.is_passing && began.elapsed() < self.patience())
            .notify(|trouble, _| {
                is_repeated.set(is_repeated.get() || trouble.may_be_heard);
                self.trouble.replace(Some(trouble.words.clone()));
            })
            .await;
        self.trouble.take();
        match answer {
            Ok(reply) => Ok(Reply { is_repeated: is_repeated.get(), ..reply }),
            Err(trouble) => Err(self.gave_up(trouble, began.elapsed())),
        }
    }

    fn patience(&self) -> Duration {
        let usual = if self.has_answered.get() { PATIENCE } else { FIRST_PATIENCE };
        self.patience.unwrap_or(usual)
    }

    async fn ask_once(&self, ask: &Ask<'_>) -> Result<Reply, Trouble> {
        let mut request = self.http.request(ask.method.clone(), ask.url.clone()).timeout(ask.within);
        request = request.header(header::ACCEPT, "application/json");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, token.clone());
        }
        if let Some(key) = ask.key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = ask.body {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let answer = request.send().await.map_err(|error| unreached(&error))?;
        let status = answer.status().as_u16();
        let named = answer.headers().get(SOURCE).map(|source| source.as_bytes() == b"invocation");
        let body = Body::new(answer).whole(MAX_MESSAGE).await.map_err(|error| match error {
            BodyError::Lost(error) => unreached(&error),
            error => Trouble { words: error.to_string(), is_passing: false, may_be_heard: true },
        })?;
        let said = (status >= 400).then(|| serde_json::from_slice::<Said>(&body).ok()).flatten();
        let is_named = || said.as_ref().and_then(|said| said.source.as_deref()).map(|source| source == "invocation");
        let is_of_invocation = named.or_else(is_named).unwrap_or(false);
        if !is_of_invocation && (status == 429 || (500..600).contains(&status)) {
            let words = said.map(|said| said.message).unwrap_or_default();
            let words = format!("it answers {status}{}", behind(&words));
            return Err(Trouble { words, is_passing: status != 501, may_be_heard: true });
        }
        self.has_answered.set(true);
        Ok(Reply { status, is_of_invocation, body, is_repeated: false })
    }

    fn gave_up(&self, trouble: Trouble, after: Duration) -> RemoteError {
        let address = &self.address;
        let tried =
            if after > Duration::from_secs(2) { format!(" (for {} s)", after.as_secs()) } else { String::new() };
        let error = RemoteError::new(format!("the server at {address} cannot be asked{tried}: {}", trouble.words));
        if self.has_answered.get() {
            return error.with_hint("the same command again, once the server is back, goes on");
        }
        error.with_hint("is the server running, and is this its address?")
    }

    /// What an answer says that was not expected.
    pub(super) fn refusal(&self, reply: &Reply) -> RemoteError {
        let (address, status) = (&self.address, reply.status);
        let message = message_of(reply).unwrap_or_default();
        if matches!(status, 401 | 403) {
            let hint = match self.token {
                Some(_) => format!("the server does not take the token in {TOKEN_VARIABLE}"),
                None => format!("put a token into {TOKEN_VARIABLE}"),
            };
            let error = format!("the server at {address} lets nobody in without a key of its own (status {status})");
            return RemoteError::new(error + &behind(&message)).with_hint(hint);
        }
        if reply.status < 300 || message.is_empty() {
            let what =
                format!("what answers at {address} is no Restate server: status {status}, and no JSON as expected");
            return RemoteError::new(what)
                .with_hint("the address of its ingress is wanted, such as http://127.0.0.1:8080")
                .usage();
        }
        RemoteError::new(format!("the server at {address} answered {status}{}", behind(&message)))
    }
}

/// What the server says of an error.
pub(super) fn message_of(reply: &Reply) -> Option<String> {
    let said: Said = serde_json::from_slice(&reply.body).ok()?;
    Some(said.message.chars().take(SHOWN).collect())
}

fn behind(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// Nothing came back. Which connection it was is known to whoever reads it.
fn unreached(error: &reqwest::Error) -> Trouble {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let words = match error {
        error if error.is_timeout() => "it did not answer in time".to_owned(),
        error if error.is_connect() => format!("no connection ({cause})"),
        _ => format!("the connection was lost ({cause})"),
    };
    let is_passing = !error.is_builder() && error.source().is_some();
    Trouble { words, is_passing, may_be_heard: !error.is_connect() }
}
