//! One attempt: authorise, send, look at the head of the answer.

use std::{cell::RefCell, collections::BTreeMap, time::SystemTime};

use futures_util::StreamExt;
use reqwest::{
    Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};

use super::{
    answer::Answer, body::Opened, faults::Faults, limits::Limits, model::HttpModel, refusal::RefusalHead, sent::Sent,
    wish::wish,
};
use crate::{
    chat::CallSettings,
    http::http_client,
    provider::{
        ProviderError, ProviderErrorKind, auth::Unauthorised, servers::announced, wire::EncodedRequest, words::of_json,
    },
};

/// More of an error's body is not read.
const MAX_ERROR_BODY: usize = 1 << 20;

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
}

/// Why an attempt failed and what that means for the next one.
pub(super) struct AttemptFailure {
    pub error: ProviderError,
    pub retryable: bool,
    /// How long the provider wants us to wait.
    pub wish: Option<std::time::Duration>,
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
        let url = format!("{}{}", model.base_url, encoded.path);
        let url = Url::parse(&url)
            .map_err(|error| wrong(format!("The base URL \"{}\" is not usable: {error}", model.base_url)))?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &encoded.headers {
            put_header(&mut headers, name, value).map_err(wrong)?;
        }
        let mut own_headers = HeaderMap::new();
        for (name, value) in model.headers.iter().chain(&settings.headers) {
            put_header(&mut own_headers, name, value).map_err(wrong)?;
        }
        let sent = RefCell::new(Sent::new(model, encoded));
        Ok(Prepared { url, headers, own_headers, sent, limits, faults, max_retries: settings.max_retries })
    }
}

fn put_header(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), String> {
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("\"{name}\" is not a header name."))?;
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| format!("The value of header \"{name}\" has characters a header cannot hold."))?;
    // Kept out of debug output, and found again by `own_secrets`.
    value.set_sensitive(crate::provider::redact::names_a_secret(name));
    headers.insert(parsed, value);
    Ok(())
}

/// Sends the request once.
pub(super) async fn attempt<'a>(model: &'a HttpModel, prepared: &Prepared) -> Result<Answer<'a>, AttemptFailure> {
    let body = prepared.sent.borrow().bytes.clone();
    let unauthorised = Unauthorised { url: &prepared.url, body: &body };
    let authorised = model.auth.headers(&unauthorised).await.map_err(|failure| {
        let mut error = prepared.faults.error(failure.kind, &failure.message, None);
        error.hint = failure.hint.or(error.hint);
        final_failure(error)
    })?;
    // A token may have been fetched just now; it must not be shown either.
    let mut faults = prepared.faults.clone();
    faults.redactor =
        crate::provider::redact::Redactor::new(model.auth.secrets().into_iter().chain(prepared.own_secrets()));
    // Made anew for each attempt: signatures have a time in them, and a token may have run out.
    let mut headers = prepared.headers.clone();
    for (name, value) in &authorised {
        put_header(&mut headers, name, value)
            .map_err(|message| final_failure(faults.error(ProviderErrorKind::Configuration, &message, None)))?;
    }
    headers.extend(prepared.own_headers.clone());

    let client = http_client().map_err(|error| {
        final_failure(faults.error(ProviderErrorKind::Connection, &format!("TLS cannot be set up: {error}"), None))
    })?;
    let request = client.post(prepared.url.clone()).headers(headers).body(body);
    let limits = prepared.limits;
    let response = match tokio::time::timeout(limits.first_byte, request.send()).await {
        // Not repeated: the provider may be at work on the request, and will charge for it.
        Err(_) => return Err(final_failure(faults.timeout("did not begin to answer", limits.first_byte, "firstByte"))),
        Ok(Err(error)) => return Err(not_connected(&error, &prepared.url, &faults)),
        Ok(Ok(response)) => response,
    };
    if let Some(wait) = announced(response.headers(), SystemTime::now()) {
        model.gate().close_for(wait);
    }
    if !response.status().is_success() {
        return Err(refused(model, response, prepared, &faults).await);
    }
    accepted(model, response, prepared, faults).await
}

impl Prepared {
    fn own_secrets(&self) -> Vec<String> {
        let secret = |(_, value): (&HeaderName, &HeaderValue)| {
            let text = value.is_sensitive().then(|| value.to_str().ok()).flatten()?;
            Some(text.strip_prefix("Bearer ").unwrap_or(text).to_owned())
        };
        self.own_headers.iter().filter_map(secret).collect()
    }
}

fn final_failure(error: ProviderError) -> AttemptFailure {
    AttemptFailure { error, retryable: false, wish: None }
}

fn not_connected(error: &reqwest::Error, url: &Url, faults: &Faults) -> AttemptFailure {
    // The innermost error says what happened; the outer ones repeat the URL.
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    // Host and port only: path and query may say what nobody else should read.
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let message = format!("Cannot connect to API: {cause} ({host}{port})");
    AttemptFailure { error: faults.error(ProviderErrorKind::Connection, &message, None), retryable: true, wish: None }
}

/// A status other than success.
async fn refused(model: &HttpModel, response: Response, prepared: &Prepared, faults: &Faults) -> AttemptFailure {
    let head = RefusalHead::of(&response);
    let wish = wish(response.headers(), SystemTime::now());
    // The status is known; a body that does not come must not hide it.
    let read = tokio::time::timeout(prepared.limits.idle, read_some(response));
    let (error, body) = head.error(&read.await.unwrap_or_default(), faults);
    prepared.sent.borrow_mut().adapt(model, head.status, body.as_ref(), &error.message);
    // 409 is a lock that could not be had in time.
    let retryable = matches!(head.status, 408 | 409 | 429) || head.status >= 500;
    AttemptFailure { error, retryable, wish }
}

/// The beginning of a body, as far as it can be read.
async fn read_some(response: Response) -> Vec<u8> {
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(Ok(chunk)) = stream.next().await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ERROR_BODY {
            break;
        }
    }
    body
}

/// A success: checks that an event stream comes and, where the first event may say otherwise, waits for it.
async fn accepted<'a>(
    model: &'a HttpModel,
    response: Response,
    prepared: &Prepared,
    faults: Faults,
) -> Result<Answer<'a>, AttemptFailure> {
    let head = shown_headers(response.headers());
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
    let status = response.status().as_u16();
    let opened = Opened::new(response, prepared.limits);
    let opened = match opened.check(&content_type).await {
        Ok(opened) => opened,
        Err(wrong) => {
            let words = wrong.json.as_ref().and_then(of_json);
            // With the provider's own words it is a failure that was reported, else not the protocol at all.
            let kind = if words.is_some() { ProviderErrorKind::Stream } else { ProviderErrorKind::Protocol };
            return Err(final_failure(faults.error(kind, &words.unwrap_or(wrong.message), Some(status))));
        }
    };
    let mut answer = Answer::new(model.wire.as_ref(), opened, prepared.sent.borrow().warnings.clone(), head, faults);
    if model.wire.first_event_may_fail()
        && let Some((error, status)) = answer.first_failure().await
    {
        // Overloaded: nothing was done yet, so that trying again does no harm.
        return Err(AttemptFailure { error, retryable: status == 529, wish: None });
    }
    Ok(answer)
}

/// The head's fields for the response metadata; cookies are nobody's business.
fn shown_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    headers
        .iter()
        .filter(|(name, _)| name.as_str() != "set-cookie")
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect()
}
