//! One attempt: authorise, send, look at the head of the answer.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use reqwest::{
    Response, Url,
    header::{
        ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, SET_COOKIE,
    },
};
use tokio::time::Instant;

use super::{
    advice::{Repeat, Way},
    answer::{Answer, Failure, not_events},
    authorise::authorise,
    body::{Opened, WrongAnswer},
    cause::{Cause, cause, is_unsent},
    faults::Faults,
    limits::Limits,
    model::HttpModel,
    refusal::RefusalHead,
    repeatable::is_repeatable,
    sent::Sent,
    wish::{wish, wish_in_body},
};
use crate::{
    chat::CallSettings,
    http::{self, Body, Network},
    provider::{
        ProviderError, ProviderErrorKind, ProviderEvent,
        auth::Unauthorised,
        failure::kind_of_error,
        servers::announced,
        wire::EncodedRequest,
        words::{error_in, of_json},
    },
};

/// More of an error's body is not read.
const MAX_ERROR_BODY: usize = 1 << 20;

/// Nor waited for: the status is known, and a body that does not come must not hide it.
const ERROR_PATIENCE: Duration = Duration::from_secs(10);

/// Everything about a call that stays the same from attempt to attempt.
pub(super) struct Prepared {
    url: Url,
    headers: HeaderMap,
    /// Headers of the call itself, which win over those of authentication.
    own_headers: HeaderMap,
    /// Changes when the server refuses a part of it.
    pub sent: RefCell<Sent>,
    pub limits: Limits,
    pub faults: Faults,
    pub max_retries: Option<u32>,
    /// Whether an attempt has failed that is worth one more, and not a third.
    repeated_once: Cell<bool>,
    /// Whether no connection is used again: one was closed before it gave an answer.
    needs_fresh: Cell<bool>,
}

/// Why an attempt failed and what that means for the next one.
pub(super) struct AttemptFailure {
    pub error: ProviderError,
    pub retryable: bool,
    /// Whether nothing of the request was sent, as the connection was closed before.
    pub is_unsent: bool,
    /// How long the provider wants us to wait.
    pub wish: Option<Duration>,
}

impl AttemptFailure {
    /// A failure of a request that may have been sent.
    pub(super) fn new(error: ProviderError, retryable: bool) -> Self {
        AttemptFailure { error, retryable, is_unsent: false, wish: None }
    }
}

impl Prepared {
    pub(super) fn new(
        model: &HttpModel,
        encoded: EncodedRequest,
        settings: &CallSettings,
        limits: Limits,
        faults: Faults,
    ) -> Result<Self, ProviderError> {
        let wrong = |message: String| faults.error(ProviderErrorKind::Configuration, &message, None);
        let url = model.address.join(&encoded.path).map_err(|fault| {
            let mut error = wrong(format!("The base URL {}", fault.what));
            error.hint = fault.hint;
            error
        })?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        for (name, value) in &encoded.headers {
            put_header(&mut headers, name, value).map_err(wrong)?;
        }
        let mut own_headers = HeaderMap::new();
        for (name, value) in model.headers.iter().chain(&settings.headers) {
            put_header(&mut own_headers, name, value).map_err(wrong)?;
        }
        let sent = RefCell::new(Sent::new(model, encoded));
        Ok(Prepared {
            url,
            headers,
            own_headers,
            sent,
            limits,
            faults,
            max_retries: settings.max_retries,
            repeated_once: Cell::new(false),
            needs_fresh: Cell::new(false),
        })
    }
}

fn put_header(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), String> {
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("\"{name}\" is not a header name."))?;
    let mut value = HeaderValue::from_str(value.trim())
        .map_err(|_| format!("The value of header \"{name}\" has characters a header cannot hold."))?;
    // Kept out of debug output.
    value.set_sensitive(crate::provider::redact::names_a_secret(name));
    headers.insert(parsed, value);
    Ok(())
}

/// Sends the request once.
pub(super) async fn attempt<'a>(model: &'a HttpModel, prepared: &Prepared) -> Result<Answer<'a>, AttemptFailure> {
    let body = prepared.sent.borrow().bytes.clone();
    let unauthorised = Unauthorised { url: &prepared.url, body: &body };
    let authorised = authorise(model, &unauthorised, &prepared.own_headers).await.map_err(|failure| {
        let mut error = prepared.faults.error(failure.kind, &failure.message, None);
        error.hint = failure.hint.or(error.hint);
        final_failure(error)
    })?;
    let faults = &prepared.faults;
    let network = model.context.env.network();
    let way = Way::new(&model.provider, &prepared.url, &network);
    // A script may have set a proxy after the model was made.
    way.secrets().iter().for_each(|secret| faults.redactor.learn(secret));
    // Made anew for each attempt: signatures have a time in them, and a token may have run out.
    let mut headers = prepared.headers.clone();
    for (name, value) in &authorised {
        put_header(&mut headers, name, value)
            .map_err(|message| final_failure(faults.error(ProviderErrorKind::Configuration, &message, None)))?;
    }
    headers.extend(prepared.own_headers.clone());

    let client = client(model, &network, prepared.needs_fresh.get() || !model.gate().keeps_connections())
        .map_err(|message| final_failure(faults.error(ProviderErrorKind::Configuration, &message, None)))?;
    let request = client.post(prepared.url.clone()).headers(headers).body(body);
    see_closed_connections().await;
    let limits = prepared.limits;
    let response = match tokio::time::timeout(limits.first_byte, request.send()).await {
        Err(_) => {
            let error = faults.timeout("did not begin to answer", limits.first_byte, "firstByte");
            return Err(AttemptFailure::new(error, true));
        }
        Ok(Err(error)) => return Err(not_connected(model, &error, &way, prepared)),
        Ok(Ok(response)) => response,
    };
    let announced = announced(response.headers(), SystemTime::now());
    if !response.status().is_success() {
        let mut failure = refused(model, response, prepared, faults).await;
        // What the server asks for by name says more than what its counts come to.
        if failure.wish.is_none() && matches!(failure.error.kind, ProviderErrorKind::RateLimit { .. }) {
            failure.wish = announced;
        }
        let (message, hint) = way.status(failure.error.status.unwrap_or_default(), &failure.error.message);
        failure.error.message = message.unwrap_or(failure.error.message);
        failure.error.hint = hint.or(failure.error.hint);
        return Err(failure);
    }
    if let Some(wait) = announced {
        model.gate().announce(wait);
    }
    accepted(model, response, prepared, faults.clone()).await
}

/// Lets the event loop look at the connections that wait in the pool. While a script computes, the server may have closed some,
/// and a request would be sent on a closed connection. In the first turn the loop asks the system for what has happened, in the second one
/// the connections act on it. A task of its own, as this one may be polled again before the loop has had its turn.
async fn see_closed_connections() {
    let turns = tokio::spawn(async {
        for _ in 0..2 {
            tokio::task::yield_now().await;
        }
    });
    // It cannot fail, and has no result.
    let _ = turns.await;
}

fn final_failure(error: ProviderError) -> AttemptFailure {
    AttemptFailure::new(error, false)
}

/// The shared client; what is wrong with what it was to be made of is told.
fn client(model: &HttpModel, network: &Network, fresh: bool) -> Result<reqwest::Client, String> {
    let client = if fresh { http::fresh_client(network) } else { http::http_client(network) };
    let client = client.map_err(|error| error.to_string())?;
    for message in http::take_warnings(network) {
        (model.context.on_event)(&ProviderEvent::Warning { message });
    }
    Ok(client)
}

fn not_connected(model: &HttpModel, error: &reqwest::Error, way: &Way<'_>, prepared: &Prepared) -> AttemptFailure {
    let advice = way.not_connected(error);
    let is_unsent = is_unsent(error);
    if is_unsent || cause(error) == Cause::Closed {
        prepared.needs_fresh.set(true);
        model.gate().note_closed();
    }
    let mut error = prepared.faults.error(ProviderErrorKind::Connection, &advice.message, None);
    error.hint = advice.hint.or(error.hint);
    let retryable = match advice.repeat {
        Repeat::Never => false,
        Repeat::Once => !prepared.repeated_once.replace(true),
        Repeat::AsUsual => true,
    };
    AttemptFailure { error, retryable, is_unsent, wish: None }
}

/// A status other than success.
async fn refused(model: &HttpModel, response: Response, prepared: &Prepared, faults: &Faults) -> AttemptFailure {
    let head = RefusalHead::of(&response);
    let wish = wish(response.headers(), SystemTime::now());
    let body = read_some(response, prepared.limits.idle.min(ERROR_PATIENCE)).await;
    let (error, body) = head.error(&body, faults);
    let wish = wish.or_else(|| wish_in_body(body.as_ref()?));
    prepared.sent.borrow_mut().adapt(model, head.status, body.as_ref(), &error.message);
    AttemptFailure { retryable: is_repeatable(&error), error, is_unsent: false, wish }
}

/// The beginning of a body, as far as it can be read in this time.
async fn read_some(response: Response, patience: Duration) -> Vec<u8> {
    let mut stream = Body::new(response);
    let mut body = Vec::new();
    let until = Instant::now() + patience;
    while let Ok(Ok(Some(chunk))) = tokio::time::timeout_at(until, stream.chunk()).await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ERROR_BODY {
            break;
        }
    }
    body
}

/// A success: checks that an event stream comes, and reads it up to its first visible part.
async fn accepted<'a>(
    model: &'a HttpModel,
    response: Response,
    prepared: &Prepared,
    faults: Faults,
) -> Result<Answer<'a>, AttemptFailure> {
    let head = shown_headers(response.headers());
    let opened = Opened::new(response, prepared.limits);
    let status = opened.promise.status;
    let opened = opened.check().await.map_err(|wrong| no_stream(&wrong, status, &faults))?;
    let mut answer = Answer::new(model.wire.as_ref(), opened, prepared.sent.borrow().warnings.clone(), head, faults);
    match answer.begin().await {
        Ok(()) => Ok(answer),
        Err(error) => Err(AttemptFailure::new(error, true)),
    }
}

/// A success that is no event stream: the failure that its JSON reports, else what it looks like.
fn no_stream(wrong: &WrongAnswer, status: u16, faults: &Faults) -> AttemptFailure {
    let reported = wrong.json.as_ref().and_then(|body| Some((error_in(body), of_json(body)?)));
    let Some((reported, words)) = reported else {
        let Failure { error, is_repeatable } = not_events(wrong, status, faults);
        return AttemptFailure::new(error, is_repeatable);
    };
    let error = faults.error(kind_of_error(reported, &words), &words, Some(status));
    let retryable = is_repeatable(&error);
    AttemptFailure::new(error, retryable)
}

/// The head's fields for the response metadata, without cookies, and without what is said of a compressed body: it is unpacked.
fn shown_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let is_packed = headers.contains_key(CONTENT_ENCODING);
    headers
        .iter()
        .filter(|(name, _)| {
            *name != SET_COOKIE && !(is_packed && (*name == CONTENT_ENCODING || *name == CONTENT_LENGTH))
        })
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect()
}
