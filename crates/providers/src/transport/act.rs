//! A request to another endpoint than that of answers, such as those of files and batches.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::{
    Body, Method, Response, Url,
    header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue},
};

use super::{
    attempt::{client, insert_header, process_closed_connections, read_beginning},
    authorise::authorise,
    cause::is_unsent,
    connection_advice::{Repeat, Route},
    error_context::ErrorContext,
    model::HttpModel,
    refusal::RefusalHead,
    retry_after::{retry_after, retry_after_in_body},
};
use crate::{
    ProviderError, ProviderErrorKind, auth::UnsignedRequest, error_kind::is_retryable, error_text::error_object,
};

/// The longest wait for the head of an answer.
const PATIENCE: Duration = Duration::from_secs(300);

const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct Act {
    pub method: Method,
    pub url: Url,
    pub headers: Vec<(String, String)>,
    pub body: ActBody,
    /// Whether the server may get the key.
    pub is_authorised: bool,
    /// Whether a redirection is an answer.
    pub is_redirectable: bool,
}

pub(crate) enum ActBody {
    Empty,
    Json(Bytes),
    /// Content that is too large for the memory.
    Stream {
        content_type: String,
        length: u64,
        open: Box<dyn Fn() -> Body>,
    },
}

pub(crate) struct ActFailure {
    pub error: ProviderError,
    pub is_retryable: bool,
    /// Whether the server may have done what was asked, although it was not said.
    pub may_be_done: bool,
    pub retry_after: Option<Duration>,
    /// The code of the error in the answer.
    pub code: Option<String>,
}

impl ActFailure {
    pub(crate) fn certain(error: ProviderError) -> Self {
        ActFailure { error, is_retryable: false, may_be_done: false, retry_after: None, code: None }
    }

    /// The answer was lost after what was asked for was done.
    pub(crate) fn lost(error: ProviderError) -> Self {
        ActFailure { is_retryable: true, may_be_done: true, ..ActFailure::certain(error) }
    }

    /// The failure of an act that was sent without the key: no other key would help.
    fn without_key(mut self) -> Self {
        if self.error.kind == ProviderErrorKind::Authentication {
            self.error.kind = ProviderErrorKind::BadRequest;
            self.error.hint = Some("This is another server than that of the base URL, so it gets no key.".to_owned());
        }
        self
    }
}

impl HttpModel {
    /// Sends the request once; an answer with another status than success, or an expected redirection, is a failure.
    pub(crate) async fn send(&self, act: &Act) -> Result<Response, ActFailure> {
        let errors = self.act_errors(act);
        let wrong = |message: &str| ActFailure::certain(errors.error(ProviderErrorKind::Configuration, message, None));
        let headers = self.act_headers(act, &errors).await?;
        let network = self.context.env.network();
        let route = Route::new(&self.provider, &act.url, &network);
        route.secrets().iter().for_each(|secret| errors.redactor.learn(secret));
        let client = client(self, &network, !self.limiter().may_reuse_connections())
            .map_err(|error| wrong(&error.to_string()))?;
        let request = client.request(act.method.clone(), act.url.clone()).headers(headers);
        let (request, patience) = match &act.body {
            ActBody::Empty => (request, PATIENCE),
            ActBody::Json(bytes) => (request.body(bytes.clone()), PATIENCE),
            // A second for each 100 kB.
            ActBody::Stream { length, open, .. } => {
                (request.body(open()), PATIENCE + Duration::from_secs(length / 100_000))
            }
        };
        process_closed_connections().await;
        match tokio::time::timeout(patience, request.send()).await {
            Err(_) => {
                let error = errors.timeout("did not begin to answer", patience, "firstByte");
                Err(ActFailure::lost(error))
            }
            Ok(Err(error)) => Err(self.act_not_answered(&error, &route, &errors)),
            Ok(Ok(response)) if response.status().is_success() => Ok(response),
            Ok(Ok(response)) if response.status().is_redirection() && act.is_redirectable => Ok(response),
            Ok(Ok(response)) => {
                let failure = refused(response, &route, &errors).await;
                Err(if act.is_authorised { failure } else { failure.without_key() })
            }
        }
    }

    /// Errors are about no model, and about no key where none is sent.
    fn act_errors(&self, act: &Act) -> ErrorContext {
        let errors = self.errors();
        let key_variable = errors.key_variable.filter(|_| act.is_authorised);
        ErrorContext { model: String::new(), key_variable, ..errors }
    }

    async fn act_headers(&self, act: &Act, errors: &ErrorContext) -> Result<HeaderMap, ActFailure> {
        let wrong = |message: &str| ActFailure::certain(errors.error(ProviderErrorKind::Configuration, message, None));
        let mut own = HeaderMap::new();
        let given = self.headers.iter().filter(|_| act.is_authorised);
        for (name, value) in given.chain(act.headers.iter().map(|(name, value)| (name, value))) {
            insert_header(&mut own, name, value).map_err(|error| wrong(&error.to_string()))?;
        }
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let body: &[u8] = match &act.body {
            ActBody::Empty => &[],
            ActBody::Json(bytes) => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                bytes
            }
            ActBody::Stream { content_type, length, .. } => {
                insert_header(&mut headers, CONTENT_TYPE.as_str(), content_type)
                    .map_err(|error| wrong(&error.to_string()))?;
                headers.insert(CONTENT_LENGTH, HeaderValue::from(*length));
                &[]
            }
        };
        if act.is_authorised {
            let unsigned = UnsignedRequest { url: &act.url, body };
            let authentication = authorise(self, &unsigned, &own).await.map_err(|failure| {
                let mut error = errors.error(failure.kind, &failure.message, None);
                error.hint = failure.hint.or(error.hint);
                ActFailure::certain(error)
            })?;
            for (name, value) in &authentication {
                insert_header(&mut headers, name, value).map_err(|error| wrong(&error.to_string()))?;
            }
        }
        headers.extend(own);
        Ok(headers)
    }

    fn act_not_answered(&self, failure: &reqwest::Error, route: &Route<'_>, errors: &ErrorContext) -> ActFailure {
        let advice = route.not_connected(failure);
        let is_unsent = is_unsent(failure);
        if is_unsent {
            self.limiter().count_closed_connection();
        }
        let mut error = errors.error(ProviderErrorKind::Connection, &advice.message, None);
        error.hint = advice.hint.or(error.hint);
        ActFailure {
            is_retryable: advice.repeat != Repeat::Never,
            may_be_done: !is_unsent && !failure.is_connect(),
            ..ActFailure::certain(error)
        }
    }

    /// The error of an answer that was not what was asked for.
    pub(crate) fn wrong_answer(&self, message: &str) -> ProviderError {
        self.errors().error(ProviderErrorKind::Protocol, message, None)
    }
}

async fn refused(response: Response, route: &Route<'_>, errors: &ErrorContext) -> ActFailure {
    let head = RefusalHead::of(&response);
    let retry_after = retry_after(response.headers(), SystemTime::now());
    let body = read_beginning(response, ERROR_BODY_TIMEOUT).await;
    let (mut error, json) = head.error(&body, errors);
    let retry_after = retry_after.or_else(|| retry_after_in_body(json.as_ref()?));
    let (message, hint) = route.status_advice(head.status, &error.message);
    error.message = message.unwrap_or(error.message);
    error.hint = hint.or(error.hint);
    // A gateway may not have waited for the answer of the server.
    let may_be_done = head.status >= 500 && head.status != 529;
    // A conflict does not pass: a batch has ended that is to be cancelled.
    let is_retryable = is_retryable(&error) && head.status != 409;
    let code = json.as_ref().and_then(|json| error_object(json).get("code")?.as_str()).map(str::to_owned);
    ActFailure { error, is_retryable, may_be_done, retry_after, code }
}
