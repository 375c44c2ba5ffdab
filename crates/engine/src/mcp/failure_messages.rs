//! Messages for failed connections and calls.

use std::{error::Error, fmt::Write, time::Duration};

use rmcp::{
    service::{ClientInitializeError, ServiceError},
    transport::streamable_http_client::StreamableHttpError,
};

type HttpError = StreamableHttpError<reqwest::Error>;

const AUTHORIZE: &str = "it wants to know who asks; give it a token: headers: { Authorization: 'Bearer …' }";

const NO_SERVER: &str =
    "nothing there speaks streamable HTTP (the transport before it, HTTP with SSE, is not supported)";

/// `method` is the first request of a session.
pub(super) fn start_failure(error: &ClientInitializeError, method: &str) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => format!("it ended before it answered {method}"),
        ClientInitializeError::TransportError { error, .. } => failure_in_chain(error.error.as_ref()),
        ClientInitializeError::JsonRpcError(error) => format!("it refused {method}: {}", error.message),
        ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_) => {
            format!("its answer to {method} is none")
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<&str> = server_supported.iter().map(|version| version.as_str()).collect();
            format!("of the protocol it speaks {} only, which lmthing does not", versions.join(", "))
        }
        other => other.to_string(),
    }
}

pub(super) fn request_failure(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => error.message.to_string(),
        ServiceError::TransportSend(error) => failure_in_chain(error.error.as_ref()),
        ServiceError::TransportClosed => "it ended before it answered".to_owned(),
        ServiceError::Timeout { timeout } => format!("no answer within {}", seconds(*timeout)),
        ServiceError::Cancelled { .. } => "the call was cancelled".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn seconds(span: Duration) -> String {
    format!("{} s", (span.as_secs_f64() * 1000.0).round() / 1000.0)
}

/// Whether the response has a status with which servers answer a request that they do not know.
pub(super) fn is_unknown_request(error: &(dyn Error + 'static)) -> bool {
    match http_error(error) {
        Some(StreamableHttpError::UnexpectedServerResponse(text)) => matches!(status(text), Some(400 | 404 | 405)),
        _ => false,
    }
}

/// The status in the library's text for an unexpected response, which has it nowhere else.
fn status(text: &str) -> Option<u16> {
    text.strip_prefix("HTTP ")?.get(..3)?.parse().ok()
}

fn failure_in_chain(error: &(dyn Error + 'static)) -> String {
    http_error(error).map_or_else(|| with_causes(error), http_failure)
}

fn http_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a HttpError> {
    let mut found = Some(error);
    while let Some(error) = found {
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return Some(error);
        }
        found = error.source();
    }
    None
}

fn http_failure(error: &HttpError) -> String {
    match error {
        StreamableHttpError::AuthRequired(_) => format!("HTTP 401: {AUTHORIZE}"),
        StreamableHttpError::InsufficientScope(_) => {
            "HTTP 403: the token that it was given does not allow this".to_owned()
        }
        StreamableHttpError::UnexpectedServerResponse(text) => match text.strip_prefix("HTTP ") {
            Some(answer) => status_meaning(answer),
            None => format!("its answer is none: {}", short(text)),
        },
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or("something of no type");
            format!("it answered with {kind}, which is neither JSON nor a stream of events")
        }
        // Without the URL, which may contain a key.
        StreamableHttpError::Client(error) => with_causes(error),
        other => other.to_string(),
    }
}

/// The meaning of a response such as `404 Not Found: no such page`.
fn status_meaning(answer: &str) -> String {
    let (status, body) = answer.split_once(':').unwrap_or((answer, ""));
    let meaning = match status.get(..3) {
        Some("401") => return format!("HTTP 401: {AUTHORIZE}"),
        Some("404" | "405" | "410") => format!("HTTP {status}: {NO_SERVER}"),
        Some(code) if code.starts_with('3') => {
            format!("HTTP {status}: it says that it is elsewhere; give the address of the server itself")
        }
        _ => format!("HTTP {status}"),
    };
    match short(body) {
        // An HTML page adds nothing to the status.
        body if body.is_empty() || body.starts_with('<') => meaning,
        body => format!("{meaning}. It said: {body}"),
    }
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The message with those of its causes that add something.
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
            let _ = write!(text, ": {cause_text}");
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_may_mean_an_unknown_request() {
        let is_unknown = |text: &str| is_unknown_request(&HttpError::UnexpectedServerResponse(text.to_owned().into()));
        assert!(
            ["HTTP 400 Bad Request: ", "HTTP 404 Not Found: x", "HTTP 405 Method Not Allowed"]
                .iter()
                .all(|text| is_unknown(text))
        );
        assert!(
            !["HTTP 401 U", "HTTP 403 F", "HTTP 429 T", "HTTP 409 C", "HTTP 4", "400"]
                .iter()
                .any(|text| is_unknown(text))
        );
    }

    #[test]
    fn answers_are_explained_in_one_line() {
        for (answer, expected) in [
            ("404 Not Found: <!DOCTYPE html>\n<p>no", "HTTP 404 Not Found: nothing there speaks streamable HTTP ("),
            ("307 Temporary Redirect: ", "HTTP 307 Temporary Redirect: it says that it is elsewhere"),
            ("418 I'm a teapot: short\nand stout", "HTTP 418 I'm a teapot. It said: short and stout"),
            ("401 Unauthorized: who?", "HTTP 401: it wants to know who asks"),
        ] {
            let text = status_meaning(answer);
            assert!(text.starts_with(expected) && !text.contains(['\n', '<']), "{text}");
        }
        assert!(short(&"x ".repeat(400)).ends_with('…'));
    }
}
