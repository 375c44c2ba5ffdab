//! The AWS crates' requests through our own client: no second HTTP stack, no second set of certificates.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use aws_smithy_runtime_api::client::{
    http::{HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector},
    orchestrator::{HttpRequest, HttpResponse},
    result::ConnectorError,
    runtime_components::RuntimeComponents,
};
use reqwest::{Client, Request, Url};

use crate::http::{Body, BodyError};

/// No answer is longer; keys are some kilobytes.
const MAX_ANSWER: usize = 1 << 20;

/// The time for a request of which the AWS crates say nothing.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Headers of requests that hold a secret.
const SECRET_HEADERS: [&str; 4] =
    ["authorization", "x-amz-security-token", "x-amz-sso_bearer_token", "x-aws-ec2-metadata-token"];

/// What the AWS crates send their requests with.
#[derive(Clone)]
pub(super) struct Connector {
    pub far: Client,
    /// For servers of the machine itself, which no proxy leads to.
    pub near: Client,
    /// The secrets that were sent, for whoever tells of a failure.
    pub sent: Arc<Mutex<Vec<String>>>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpClient for Connector {
    fn http_connector(&self, settings: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        let timeout = settings.read_timeout().map(|read| read + settings.connect_timeout().unwrap_or_default());
        SharedHttpConnector::new(Limited { connector: self.clone(), timeout: timeout.unwrap_or(TIMEOUT) })
    }
}

#[derive(Debug)]
struct Limited {
    connector: Connector,
    timeout: Duration,
}

impl HttpConnector for Limited {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let request = match self.request(request) {
            Ok(request) => request,
            Err(error) => return HttpConnectorFuture::ready(Err(ConnectorError::user(error))),
        };
        let client = if is_near(request.url()) { self.connector.near.clone() } else { self.connector.far.clone() };
        HttpConnectorFuture::new(async move { send(&client, request).await })
    }
}

impl Limited {
    fn request(&self, request: HttpRequest) -> Result<Request, Box<dyn std::error::Error + Send + Sync>> {
        let mut built = Request::new(request.method().parse()?, request.uri().parse()?);
        for (name, value) in request.headers() {
            if SECRET_HEADERS.contains(&name)
                && let Ok(mut sent) = self.connector.sent.lock()
            {
                sent.push(value.strip_prefix("Bearer ").unwrap_or(value).to_owned());
            }
            built.headers_mut().append(reqwest::header::HeaderName::try_from(name)?, value.parse()?);
        }
        // The requests that fetch keys are short texts, never streams.
        *built.body_mut() = request.body().bytes().map(|body| body.to_vec().into());
        *built.timeout_mut() = Some(self.timeout);
        Ok(built)
    }
}

/// The addresses at which machines and containers find what hands out keys.
fn is_near(url: &Url) -> bool {
    const NAMES: [&str; 4] = ["localhost", "[::1]", "[fd00:ec2::254]", "[fd00:ec2::23]"];
    let host = url.host_str().unwrap_or_default();
    let is_known = host.starts_with("169.254.") || host.starts_with("127.") || NAMES.contains(&host);
    url.scheme() == "http" && is_known
}

async fn send(client: &Client, request: Request) -> Result<HttpResponse, ConnectorError> {
    let answer = client.execute(request).await.map_err(not_sent)?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let body = Body::new(answer).whole(MAX_ANSWER).await.map_err(|error| match error {
        BodyError::Lost(error) => not_sent(error),
        error => ConnectorError::other(Box::new(error), None),
    })?;
    let status = status.as_u16().try_into().map_err(|error| ConnectorError::other(Box::new(error), None))?;
    let mut response = HttpResponse::new(status, body.into());
    for (name, value) in &headers {
        // What is no text says nothing to who reads keys.
        if let Ok(value) = value.to_str() {
            response.headers_mut().append(name.as_str().to_owned(), value.to_owned());
        }
    }
    Ok(response)
}

fn not_sent(error: reqwest::Error) -> ConnectorError {
    let error = error.without_url();
    match (error.is_timeout(), error.is_connect()) {
        (true, _) => ConnectorError::timeout(Box::new(error)),
        (false, true) => ConnectorError::io(Box::new(error)).never_connected(),
        (false, false) => ConnectorError::io(Box::new(error)),
    }
}
