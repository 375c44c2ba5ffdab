//! What is told of a request that was refused.

use reqwest::{
    Response,
    header::{HeaderMap, LOCATION},
};
use serde_json::Value;

use super::faults::Faults;
use crate::provider::{
    ProviderError,
    advice::Refusal,
    failure::kind_of_status,
    words::{error_in, of_body},
};

/// The head of an answer with a status other than success.
pub(super) struct RefusalHead {
    pub status: u16,
    /// Scheme, host, port and path: what may stand around them is nobody's business.
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
            // AWS names the error here, in front of a colon and a link.
            error_type: text(response.headers(), "x-amzn-errortype")
                .map(|text| text.split(':').next().unwrap_or_default().to_owned()),
            location: text(response.headers(), LOCATION.as_str()).filter(|_| redirected).map(str::to_owned),
        }
    }

    /// The error: the server's own words, else the status text, and advice that fits. Also the body, where it is JSON.
    pub(super) fn error(&self, body: &[u8], faults: &Faults) -> (ProviderError, Option<Value>) {
        let said = of_body(body);
        let words = said.as_ref().map(|said| said.sentence(&self.status_text));
        let message = match (words, &self.error_type) {
            (Some(words), Some(error_type)) => format!("{error_type}: {words}"),
            (words, error_type) => words.or(error_type.clone()).unwrap_or_else(|| self.status_text.clone()),
        };
        let message = match self.status {
            407 => format!("The proxy wants to know who asks: {message}"),
            _ => message,
        };
        let page = said.as_ref().is_some_and(|said| said.page);
        let json = said.and_then(|said| said.json);
        let mut error = faults.error(kind_of_status(self.status, json.as_ref(), &message), &message, Some(self.status));
        let refused = Refusal {
            status: self.status,
            error: json.as_ref().map_or(&Value::Null, error_in),
            message: &message,
            page,
            model: &faults.model,
            address: &self.address,
        };
        error.hint = refused.hint().or(error.hint);
        if let Some(location) = &self.location {
            error.hint = Some(format!("The server redirects to {location}; set the base URL to where it should go."));
        }
        error.hint = error.hint.map(|hint| faults.redactor.apply(&hint));
        (error, json)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The status text the server sent, else the usual one.
fn status_text(response: &Response) -> String {
    let sent = response.extensions().get::<hyper::ext::ReasonPhrase>();
    let sent = sent.and_then(|phrase| std::str::from_utf8(phrase.as_bytes()).ok()).filter(|text| !text.is_empty());
    let status = response.status();
    sent.or(status.canonical_reason()).map_or_else(|| format!("HTTP {}", status.as_u16()), str::to_owned)
}
