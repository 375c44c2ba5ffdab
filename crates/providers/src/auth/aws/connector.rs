//! Sends the AWS crates' requests with our HTTP client, for the same certificates and proxies.

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

use lmthing_system::http::{Body, BodyError};

const MAX_RESPONSE: usize = 1 << 20;

const TIMEOUT: Duration = Duration::from_secs(30);

const SECRET_HEADERS: [&str; 4] =
    ["authorization", "x-amz-security-token", "x-amz-sso_bearer_token", "x-aws-ec2-metadata-token"];

#[derive(Clone)]
pub(super) struct Connector {
    pub remote: Client,
    pub local: Client,
    pub secrets: Arc<Mutex<Vec<String>>>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpClient for Connector {
    fn http_connector(&self, settings: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        let timeout = settings.read_timeout().map(|read| read + settings.connect_timeout().unwrap_or_default());
        SharedHttpConnector::new(ConnectorWithTimeout { connector: self.clone(), timeout: timeout.unwrap_or(TIMEOUT) })
    }
}

#[derive(Debug)]
struct ConnectorWithTimeout {
    connector: Connector,
    timeout: Duration,
}

impl HttpConnector for ConnectorWithTimeout {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let request = match self.request(request) {
            Ok(request) => request,
            Err(error) => return HttpConnectorFuture::ready(Err(ConnectorError::user(error))),
        };
        let client = if is_local(request.url()) { self.connector.local.clone() } else { self.connector.remote.clone() };
        HttpConnectorFuture::new(async move { send(&client, request).await })
    }
}

impl ConnectorWithTimeout {
    fn request(&self, request: HttpRequest) -> Result<Request, Box<dyn std::error::Error + Send + Sync>> {
        let mut built = Request::new(request.method().parse()?, request.uri().parse()?);
        for (name, value) in request.headers() {
            if SECRET_HEADERS.contains(&name)
                && let Ok(mut secrets) = self.connector.secrets.lock()
            {
                secrets.push(value.strip_prefix("Bearer ").unwrap_or(value).to_owned());
            }
            built.headers_mut().append(reqwest::header::HeaderName::try_from(name)?, value.parse()?);
        }
        *built.body_mut() = request.body().bytes().map(|body| body.to_vec().into());
        *built.timeout_mut() = Some(self.timeout);
        Ok(built)
    }
}

fn is_local(url: &Url) -> bool {
    const NAMES: [&str; 4] = ["localhost", "[::1]", "[fd00:ec2::254]", "[fd00:ec2::23]"];
    let host = url.host_str().unwrap_or_default();
    let is_known = host.starts_with("169.254.") || host.starts_with("127.") || NAMES.contains(&host);
    url.scheme() == "http" && is_known
}

async fn send(client: &Client, request: Request) -> Result<HttpResponse, ConnectorError> {
    let response = client.execute(request).await.map_err(connector_error)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = Body::new(response).whole(MAX_RESPONSE).await.map_err(|error| match error {
        BodyError::Lost(error) => connector_error(error),
        error => ConnectorError::other(Box::new(error), None),
    })?;
    let status = status.as_u16().try_into().map_err(|error| ConnectorError::other(Box::new(error), None))?;
    let mut response = HttpResponse::new(status, body.into());
    for (name, value) in &headers {
        if let Ok(value) = value.to_str() {
            response.headers_mut().append(name.as_str().to_owned(), value.to_owned());
        }
    }
    Ok(response)
}

fn connector_error(error: reqwest::Error) -> ConnectorError {
    let error = error.without_url();
    match (error.is_timeout(), error.is_connect()) {
        (true, _) => ConnectorError::timeout(Box::new(error)),
        (false, true) => ConnectorError::io(Box::new(error)).never_connected(),
        (false, false) => ConnectorError::io(Box::new(error)),
    }
}
