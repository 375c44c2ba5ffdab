//! Errors for requests that a server has refused.

use reqwest::{
    Response,
    header::{HeaderMap, LOCATION},
};
use serde_json::Value;

use super::error_context::ErrorContext;
use crate::{
    ProviderError,
    error_kind::kind_of_status,
    error_text::{error_object, parse_body},
    refusal_advice::Refusal,
};

pub(super) struct RefusalHead {
    pub status: u16,
    address: String,
    status_text: String,
    error_type: Option<String>,
    location: Option<String>,
}

impl RefusalHead {
    pub(super) fn of(response: &Response) -> Self {
        let url = response.url();
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let host = url.host_str().unwrap_or_default();
        let redirected = response.status().is_redirection();
        RefusalHead {
            status: response.status().as_u16(),
            address: format!("{}://{host}{port}{}", url.scheme(), url.path()),
            status_text: status_text(response),
            // AWS puts the error's name here, followed by a colon and a link.
            error_type: text(response.headers(), "x-amzn-errortype")
                .map(|text| text.split(':').next().unwrap_or_default().to_owned()),
            location: text(response.headers(), LOCATION.as_str()).filter(|_| redirected).map(str::to_owned),
        }
    }

    pub(super) fn error(&self, body: &[u8], errors: &ErrorContext) -> (ProviderError, Option<Value>) {
        let parsed = parse_body(body);
        let words = parsed.as_ref().map(|parsed| parsed.sentence(&self.status_text));
        let message = match (words, &self.error_type) {
            (Some(words), Some(error_type)) => format!("{error_type}: {words}"),
            (words, error_type) => words.or(error_type.clone()).unwrap_or_else(|| self.status_text.clone()),
        };
        let message = match self.status {
            407 => format!("The proxy wants to know who asks: {message}"),
            _ => message,
        };
        let is_page = parsed.as_ref().is_some_and(|parsed| parsed.is_page);
        let json = parsed.and_then(|parsed| parsed.json);
        let mut error = errors.error(kind_of_status(self.status, json.as_ref(), &message), &message, Some(self.status));
        let refusal = Refusal {
            provider: &errors.provider,
            status: self.status,
            error: json.as_ref().map_or(&Value::Null, error_object),
            message: &message,
            is_page,
            model: &errors.model,
            address: &self.address,
        };
        error.is_unknown_model = refusal.is_unknown_model();
        error.hint = refusal.hint().or(error.hint);
        if let Some(location) = &self.location {
            error.hint = Some(format!("The server redirects to {location}; set the base URL to where it should go."));
        }
        error.hint = error.hint.map(|hint| errors.redactor.apply(&hint));
        (error, json)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn status_text(response: &Response) -> String {
    let sent = response.extensions().get::<hyper::ext::ReasonPhrase>();
    let sent = sent.and_then(|phrase| std::str::from_utf8(phrase.as_bytes()).ok()).filter(|text| !text.is_empty());
    let status = response.status();
    sent.or(status.canonical_reason()).map_or_else(|| format!("HTTP {}", status.as_u16()), str::to_owned)
}
