//! Failures of connections and calls in words: what, of which server, how to mend it. Must not know who reads them.

use std::{error::Error, fmt::Write, time::Duration};

use rmcp::{
    service::{ClientInitializeError, ServiceError},
    transport::streamable_http_client::StreamableHttpError,
};

type HttpError = StreamableHttpError<reqwest::Error>;

/// What is said where a server wants to know who asks.
const AUTHORIZE: &str = "it wants to know who asks; give it a token: headers: { Authorization: 'Bearer …' }";

/// Why a server was not connected to.
pub(super) fn of_start(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended before it answered initialize".to_owned(),
        ClientInitializeError::TransportError { error, .. } => of_chain(error.error.as_ref()),
        ClientInitializeError::JsonRpcError(error) => format!("it refused to initialize: {}", error.message),
        ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_) => {
            "its answer to initialize is none".to_owned()
        }
        other => other.to_string(),
    }
}

/// Why a request was not answered.
pub(super) fn of_request(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => error.message.to_string(),
        ServiceError::TransportSend(error) => of_chain(error.error.as_ref()),
        ServiceError::TransportClosed => "it ended before it answered".to_owned(),
        ServiceError::Timeout { timeout } => format!("no answer within {}", seconds(*timeout)),
        ServiceError::Cancelled { .. } => "the call was cancelled".to_owned(),
        other => other.to_string(),
    }
}

/// A span for a message.
pub(super) fn seconds(span: Duration) -> String {
    format!("{} s", (span.as_secs_f64() * 1000.0).round() / 1000.0)
}

fn of_chain(error: &(dyn Error + 'static)) -> String {
    let mut found = Some(error);
    while let Some(error) = found {
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return of_http(error);
        }
        found = error.source();
    }
    with_causes(error)
}

fn of_http(error: &HttpError) -> String {
    match error {
        StreamableHttpError::AuthRequired(_) => format!("HTTP 401: {AUTHORIZE}"),
        StreamableHttpError::InsufficientScope(_) => {
            "HTTP 403: the token that it was given does not allow this".to_owned()
        }
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => {
            format!("HTTP 401: {AUTHORIZE}")
        }
        // The address of a server may hold a key.
        StreamableHttpError::Client(error) => with_causes(error),
        other => other.to_string(),
    }
}

/// The message and those below it that say more.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = match error.downcast_ref::<reqwest::Error>() {
        Some(error) if error.is_connect() => "cannot connect".to_owned(),
        Some(error) if error.is_timeout() => "no answer in time".to_owned(),
        Some(_) => "the connection broke".to_owned(),
        None => error.to_string(),
    };
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            // Writing to a string cannot fail.
            let _ = write!(text, ": {cause_text}");
        }
        source = cause.source();
    }
    text
}
