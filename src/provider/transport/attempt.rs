//! One attempt: authorise, send, look at the head of the answer.

use std::{cell::Cell, collections::BTreeMap, time::SystemTime};

use bytes::Bytes;
use futures_util::StreamExt;
use reqwest::{
    Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
};
use serde_json::Value;

use super::{
    advice::{Repeat, Way},
    answer::Answer,
    authorise::authorise,
    body::Opened,
    faults::Faults,
    limits::Limits,
    model::HttpModel,
    wish::wish,
};
use crate::{
    chat::{CallSettings, CallWarning},
    http::{self, Network},
    provider::{
        ProviderError, ProviderErrorKind, ProviderEvent, auth::Unauthorised, failure::kind_of_status,
        wire::EncodedRequest,
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
    body: Bytes,
    pub warnings: Vec<CallWarning>,
    pub limits: Limits,
    pub faults: Faults,
    pub max_retries: Option<u32>,
    /// Whether an attempt has failed that is worth one more, and not a third.
    repeated_once: Cell<bool>,
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
        let url = model.address.join(&encoded.path).map_err(|fault| {
            let mut error = wrong(format!("The base URL {}", fault.what));
            error.hint = fault.hint;
            error
        })?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &encoded.headers {
            put_header(&mut headers, name, value).map_err(wrong)?;
        }
        let mut own_headers = HeaderMap::new();
        for (name, value) in model.headers.iter().chain(&settings.headers) {
            put_header(&mut own_headers, name, value).map_err(wrong)?;
        }
        let body = Bytes::from(encoded.body.to_string());
        let (warnings, max_retries) = (encoded.warnings, settings.max_retries);
        Ok(Prepared {
            url,
            headers,
            own_headers,
            body,
            warnings,
            limits,
            faults,
            max_retries,
            repeated_once: Cell::new(false),
        })
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
    let unauthorised = Unauthorised { url: &prepared.url, body: &prepared.body };
    let authorised = authorise(model, &unauthorised, &prepared.own_headers).await.map_err(|failure| {
        let mut error = prepared.faults.error(failure.kind, &failure.message, None);
        error.hint = failure.hint.or(error.hint);
        final_failure(error)
    })?;
    // A token may have been fetched just now; it must not be shown either.
    let mut faults = prepared.faults.clone();
    let network = model.context.env.network();
    let way = Way::new(&model.provider, &prepared.url, &network);
    let given = [model.auth.secrets(), prepared.own_secrets(), model.address.secrets(), way.secrets()];
    faults.redactor = crate::provider::redact::Redactor::new(given.into_iter().flatten());
    // Made anew for each attempt: signatures have a time in them, and a token may have run out.
    let mut headers = prepared.headers.clone();
    for (name, value) in &authorised {
        put_header(&mut headers, name, value)
            .map_err(|message| final_failure(faults.error(ProviderErrorKind::Configuration, &message, None)))?;
    }
    headers.extend(prepared.own_headers.clone());

    let client = client(model, &network)
        .map_err(|message| final_failure(faults.error(ProviderErrorKind::Configuration, &message, None)))?;
    let request = client.post(prepared.url.clone()).headers(headers).body(prepared.body.clone());
    let limits = prepared.limits;
    let response = match tokio::time::timeout(limits.first_byte, request.send()).await {
        // Not repeated: the provider may be at work on the request, and will charge for it.
        Err(_) => return Err(final_failure(faults.timeout("did not begin to answer", limits.first_byte, "firstByte"))),
        Ok(Err(error)) => return Err(not_connected(&error, &way, prepared, &faults)),
        Ok(Ok(response)) => response,
    };
    if !response.status().is_success() {
        let mut failure = refused(model, response, limits, &faults).await;
        let (message, hint) = way.status(failure.error.status.unwrap_or_default(), &failure.error.message);
        failure.error.message = message.unwrap_or(failure.error.message);
        failure.error.hint = hint.or(failure.error.hint);
        return Err(failure);
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

/// The shared client; what is wrong with what it was to be made of is told.
fn client(model: &HttpModel, network: &Network) -> Result<reqwest::Client, String> {
    let client = http::http_client(network).map_err(|error| error.to_string())?;
    for message in http::take_warnings(network) {
        (model.context.on_event)(&ProviderEvent::Warning { message });
    }
    Ok(client)
}

fn not_connected(error: &reqwest::Error, way: &Way<'_>, prepared: &Prepared, faults: &Faults) -> AttemptFailure {
    let advice = way.not_connected(error);
    let mut error = faults.error(ProviderErrorKind::Connection, &advice.message, None);
    error.hint = advice.hint.or(error.hint);
    let retryable = match advice.repeat {
        Repeat::Never => false,
        Repeat::Once => !prepared.repeated_once.replace(true),
        Repeat::AsUsual => true,
    };
    AttemptFailure { error, retryable, wish: None }
}

/// A status other than success: the provider's own words, else the status text.
async fn refused(model: &HttpModel, response: Response, limits: Limits, faults: &Faults) -> AttemptFailure {
    let status = response.status();
    let wish = wish(response.headers(), SystemTime::now());
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    // AWS names the error here, in front of a colon and a link.
    let error_type = response.headers().get("x-amzn-errortype").and_then(|value| value.to_str().ok());
    let error_type = error_type.and_then(|text| text.split(':').next()).map(str::to_owned);
    let status_text = status_text(&response);
    // The status is known; a body that does not come must not hide it.
    let read = tokio::time::timeout(limits.idle, read_some(response));
    let body = serde_json::from_slice::<Value>(&read.await.unwrap_or_default()).ok();
    let words = body.as_ref().and_then(|body| model.wire.error_message(body)).filter(|words| !words.is_empty());
    let words = match (words, error_type) {
        (Some(words), Some(error_type)) => Some(format!("{error_type}: {words}")),
        (words, error_type) => words.or(error_type),
    };
    let message = words.unwrap_or(status_text);
    let code = status.as_u16();
    let mut error = faults.error(kind_of_status(code, body.as_ref(), &message), &message, Some(code));
    if let Some(location) = location.filter(|_| status.is_redirection()) {
        error.hint = Some(format!("The server redirects to {location}; set the base URL to where it should go."));
    }
    // 409 is a lock that could not be had in time.
    let retryable = matches!(code, 408 | 409 | 429) || code >= 500;
    AttemptFailure { error, retryable, wish }
}

/// The status text the server sent, else the usual one.
fn status_text(response: &Response) -> String {
    let sent = response.extensions().get::<hyper::ext::ReasonPhrase>();
    let sent = sent.and_then(|phrase| std::str::from_utf8(phrase.as_bytes()).ok()).filter(|text| !text.is_empty());
    let status = response.status();
    sent.or(status.canonical_reason()).map_or_else(|| format!("HTTP {}", status.as_u16()), str::to_owned)
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
            let words = wrong.json.as_ref().and_then(|body| {
                let usual = || body.pointer("/error/message").and_then(Value::as_str).map(str::to_owned);
                model.wire.error_message(body).or_else(usual)
            });
            // With the provider's own words it is a failure that was reported, else not the protocol at all.
            let kind = if words.is_some() { ProviderErrorKind::Stream } else { ProviderErrorKind::Protocol };
            return Err(final_failure(faults.error(kind, &words.unwrap_or(wrong.message), Some(status))));
        }
    };
    let mut answer = Answer::new(model.wire.as_ref(), opened, prepared.warnings.clone(), head, faults);
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
