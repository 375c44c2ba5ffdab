//! One attempt: authorizes and sends a request, and checks the head of the response.

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
use thiserror::Error;
use tokio::time::Instant;

use super::{
    authorise::authorise,
    body::{OpenBody, WrongResponse},
    cause::{Cause, cause, is_unsent},
    connection_advice::{Repeat, Route},
    error_context::ErrorContext,
    limits::Limits,
    model::HttpModel,
    refusal::RefusalHead,
    request_body::RequestBody,
    response_stream::{Failure, ResponseStream, no_events},
    retry_after::{retry_after, retry_after_in_body},
};
use crate::{
    ProviderError, ProviderErrorKind, ProviderEvent,
    auth::UnsignedRequest,
    error_kind::{is_retryable, kind_of_error},
    error_text::{error_object, message_in_json},
    own_fields::OwnFields,
    servers::announced_pause,
    wire::EncodedRequest,
};
use lmthing_base::chat::{CallSettings, Tier};
use lmthing_system::http::{self, Body, Network};

const MAX_ERROR_BODY: usize = 1 << 20;

/// Timeout for them, as the status is already known and must be reported.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Names and values.
type Pairs = Vec<(String, String)>;

pub(super) struct Prepared {
    pub url: Url,
    /// The path of the endpoint, with its query, without secrets.
    pub path: String,
    /// The parameters of the query that hold secrets.
    pub secret_query: Pairs,
    headers: HeaderMap,
    /// Headers of settings and call, which win over those of authentication.
    explicit_headers: HeaderMap,
    pub body: RefCell<RequestBody>,
    pub limits: Limits,
    pub errors: ErrorContext,
    pub max_retries: Option<u32>,
    /// The provider's word for the service tier that is asked for.
    tier: Option<String>,
    was_repeated_once: Cell<bool>,
    /// Whether connections must not be reused, because one was closed without a response.
    needs_new_connection: Cell<bool>,
}

pub(super) struct AttemptFailure {
    pub error: ProviderError,
    pub is_retryable: bool,
    /// Whether nothing of the request was sent because the connection was already closed.
    pub is_unsent: bool,
    pub retry_after: Option<Duration>,
}

impl AttemptFailure {
    pub(super) fn new(error: ProviderError, is_retryable: bool) -> Self {
        AttemptFailure { error, is_retryable, is_unsent: false, retry_after: None }
    }
}

impl Prepared {
    pub(super) fn new(
        model: &HttpModel,
        encoded: EncodedRequest,
        own: &OwnFields,
        settings: &CallSettings,
        limits: Limits,
        errors: ErrorContext,
    ) -> Result<Self, ProviderError> {
        let wrong = |message: &str| errors.error(ProviderErrorKind::Configuration, message, None);
        let mut url = model.address.join(&encoded.path).map_err(|fault| {
            let mut error = wrong(&format!("The base URL {}", fault.what));
            error.hint = fault.hint;
            error
        })?;
        own.put_query(&mut url);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        for (name, value) in &encoded.headers {
            insert_header(&mut headers, name, value).map_err(|error| wrong(&error.to_string()))?;
        }
        let mut explicit_headers = HeaderMap::new();
        for (name, value) in model.headers.iter().chain(&settings.headers) {
            insert_header(&mut explicit_headers, name, value).map_err(|error| wrong(&error.to_string()))?;
        }
        let (path, secret_query) = own.with_query(&encoded.path, &errors.redactor);
        let body = RefCell::new(RequestBody::new(model, encoded));
        Ok(Prepared {
            url,
            path,
            secret_query,
            headers,
            explicit_headers,
            body,
            limits,
            errors,
            max_retries: settings.max_retries,
            tier: settings.tier.and_then(|tier| tier_word(model, tier)),
            was_repeated_once: Cell::new(false),
            needs_new_connection: Cell::new(false),
        })
    }
}

impl Prepared {
    /// The headers without those of every request, and apart from them those that hold secrets under any name.
    pub(super) fn headers_and_secrets(&self) -> (Pairs, Pairs) {
        let all = self.headers.iter().chain(&self.explicit_headers);
        let own = all.filter(|(name, _)| ![CONTENT_TYPE, ACCEPT_ENCODING].contains(name));
        let texts = own.filter_map(|(name, value)| Some((name, value.to_str().ok()?.to_owned(), value.is_sensitive())));
        let (secret, open): (Vec<_>, Vec<_>) =
            texts.partition(|(_, value, is_secret)| *is_secret || self.errors.redactor.has_secret(value));
        let pairs = |all: Vec<(&HeaderName, String, bool)>| {
            all.into_iter().map(|(name, value, _)| (name.to_string(), value)).collect()
        };
        (pairs(open), pairs(secret))
    }

    pub(super) fn unreadable(&self, what: &str) -> AttemptFailure {
        let message = format!("The answer of the batch cannot be read: {what}");
        final_failure(self.errors.error(ProviderErrorKind::Protocol, &message, None))
    }
}

fn tier_word(model: &HttpModel, tier: Tier) -> Option<String> {
    model.wire.tiers().iter().find(|form| form.tier == tier).map(|form| form.word.to_owned())
}

#[derive(Debug, Error)]
pub(super) enum InvalidHeader {
    #[error("\"{0}\" is not a header name.")]
    Name(String),
    /// Holds the name; the value may be a secret.
    #[error("The value of header \"{0}\" has characters a header cannot hold.")]
    Value(String),
}

pub(super) fn insert_header(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), InvalidHeader> {
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| InvalidHeader::Name(name.to_owned()))?;
    let mut value = HeaderValue::from_str(value.trim()).map_err(|_| InvalidHeader::Value(name.to_owned()))?;
    value.set_sensitive(crate::redact::names_a_secret(name));
    headers.insert(parsed, value);
    Ok(())
}

pub(super) async fn attempt<'a>(
    model: &'a HttpModel,
    prepared: &Prepared,
) -> Result<ResponseStream<'a>, AttemptFailure> {
    let body = prepared.body.borrow().bytes.clone();
    let unsigned = UnsignedRequest { url: &prepared.url, body: &body };
    let authentication = authorise(model, &unsigned, &prepared.explicit_headers).await.map_err(|failure| {
        let mut error = prepared.errors.error(failure.kind, &failure.message, None);
        error.hint = failure.hint.or(error.hint);
        final_failure(error)
    })?;
    let errors = &prepared.errors;
    let network = model.context.env.network();
    let route = Route::new(&model.provider, &prepared.url, &network);
    // A script may have set a proxy after the model was created.
    route.secrets().iter().for_each(|secret| errors.redactor.learn(secret));
    // Authentication headers are created for each attempt: signatures contain a time, and tokens expire.
    let mut headers = prepared.headers.clone();
    for (name, value) in &authentication {
        insert_header(&mut headers, name, value)
            .map_err(|error| final_failure(errors.error(ProviderErrorKind::Configuration, &error.to_string(), None)))?;
    }
    headers.extend(prepared.explicit_headers.clone());

    let client =
        client(model, &network, prepared.needs_new_connection.get() || !model.limiter().may_reuse_connections())
            .map_err(|error| final_failure(errors.error(ProviderErrorKind::Configuration, &error.to_string(), None)))?;
    let request = client.post(prepared.url.clone()).headers(headers).body(body);
    process_closed_connections().await;
    let limits = prepared.limits;
    let response = match tokio::time::timeout(limits.first_byte, request.send()).await {
        Err(_) => {
            let error = errors.timeout("did not begin to answer", limits.first_byte, "firstByte");
            return Err(AttemptFailure::new(error, true));
        }
        Ok(Err(error)) => return Err(not_connected(model, &error, &route, prepared)),
        Ok(Ok(response)) => response,
    };
    let announced = announced_pause(response.headers(), SystemTime::now());
    if !response.status().is_success() {
        let mut failure = refused(model, response, prepared, errors).await;
        // An explicit retry delay wins over one computed from limits.
        if failure.retry_after.is_none() && matches!(failure.error.kind, ProviderErrorKind::RateLimit { .. }) {
            failure.retry_after = announced;
        }
        let (message, hint) = route.status_advice(failure.error.status.unwrap_or_default(), &failure.error.message);
        failure.error.message = message.unwrap_or(failure.error.message);
        failure.error.hint = hint.or(failure.error.hint);
        return Err(failure);
    }
    if let Some(wait) = announced {
        model.limiter().announce_pause(wait);
    }
    let answer = opened(model, response, prepared, errors.clone()).await?;
    first_shown(answer).await
}

/// Lets the event loop process closed connections in the pool. While a script was running, the server may have closed
/// some, and the request would be sent on one of them. The event loop polls the system in the first iteration, and
/// the connections react in the second. Uses its own task, because this one may be polled again before the event loop
/// runs.
pub(super) async fn process_closed_connections() {
    let task = tokio::spawn(async {
        for _ in 0..2 {
            tokio::task::yield_now().await;
        }
    });
    let _ = task.await;
}

fn final_failure(error: ProviderError) -> AttemptFailure {
    AttemptFailure::new(error, false)
}

pub(super) fn client(model: &HttpModel, network: &Network, fresh: bool) -> Result<reqwest::Client, http::ClientError> {
    let client = if fresh { http::fresh_client(network) } else { http::http_client(network) }?;
    for message in http::take_warnings(network) {
        (model.context.on_event)(&ProviderEvent::Warning { message });
    }
    Ok(client)
}

fn not_connected(model: &HttpModel, error: &reqwest::Error, route: &Route<'_>, prepared: &Prepared) -> AttemptFailure {
    let advice = route.not_connected(error);
    let is_unsent = is_unsent(error);
    if is_unsent || cause(error) == Cause::Closed {
        prepared.needs_new_connection.set(true);
        model.limiter().count_closed_connection();
    }
    let mut error = prepared.errors.error(ProviderErrorKind::Connection, &advice.message, None);
    error.hint = advice.hint.or(error.hint);
    let is_retryable = match advice.repeat {
        Repeat::Never => false,
        Repeat::Once => !prepared.was_repeated_once.replace(true),
        Repeat::AsUsual => true,
    };
    AttemptFailure { error, is_retryable, is_unsent, retry_after: None }
}

pub(super) async fn refused(
    model: &HttpModel,
    response: Response,
    prepared: &Prepared,
    errors: &ErrorContext,
) -> AttemptFailure {
    let head = RefusalHead::of(&response);
    let retry_after = retry_after(response.headers(), SystemTime::now());
    let body = read_beginning(response, prepared.limits.idle.min(ERROR_BODY_TIMEOUT)).await;
    let (error, body) = head.error(&body, errors);
    let retry_after = retry_after.or_else(|| retry_after_in_body(body.as_ref()?));
    prepared.body.borrow_mut().adapt(model, head.status, body.as_ref(), &error.message);
    AttemptFailure { is_retryable: is_retryable(&error), error, is_unsent: false, retry_after }
}

pub(super) async fn read_beginning(response: Response, patience: Duration) -> Vec<u8> {
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

/// An answer that was accepted, of which nothing is read yet.
pub(super) async fn opened<'a>(
    model: &'a HttpModel,
    response: Response,
    prepared: &Prepared,
    errors: ErrorContext,
) -> Result<ResponseStream<'a>, AttemptFailure> {
    let head = shown_headers(response.headers());
    let opened = OpenBody::new(response, prepared.limits, model.wire.framing());
    let status = opened.description.status;
    let opened = opened.check().await.map_err(|wrong| no_stream(&wrong, status, &errors))?;
    let warnings = prepared.body.borrow().warnings.clone();
    Ok(ResponseStream::new(model.wire.as_ref(), opened, warnings, head, prepared.tier.clone(), errors))
}

pub(super) async fn first_shown(mut answer: ResponseStream<'_>) -> Result<ResponseStream<'_>, AttemptFailure> {
    match answer.read_to_first_shown().await {
        Ok(()) => Ok(answer),
        Err(error) => Err(AttemptFailure::new(error, true)),
    }
}

fn no_stream(wrong: &WrongResponse, status: u16, errors: &ErrorContext) -> AttemptFailure {
    let reported = wrong.json.as_ref().and_then(|body| Some((error_object(body), message_in_json(body)?)));
    let Some((reported, words)) = reported else {
        let Failure { error, is_retryable } = no_events(wrong, status, errors);
        return AttemptFailure::new(error, is_retryable);
    };
    let error = errors.error(kind_of_error(reported, &words), &words, Some(status));
    let is_retryable = is_retryable(&error);
    AttemptFailure::new(error, is_retryable)
}

/// Headers for the response metadata, without cookies, and without the encoding and length of compressed bodies.
fn shown_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let is_compressed = headers.contains_key(CONTENT_ENCODING);
    headers
        .iter()
        .filter(|(name, _)| {
            *name != SET_COOKIE && !(is_compressed && (*name == CONTENT_ENCODING || *name == CONTENT_LENGTH))
        })
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect()
}
