//! Sends one request to the collector.

use std::{error::Error, time::Duration};

use bytes::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use prost::Message;
use reqwest::{
    Client,
    header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
};
use url::{Host, Url};

use super::settings::Settings;
use lmthing_system::http::{Body, Network, http_client, local_client};

const MAX_ANSWER: usize = 64 << 10;

pub(super) struct Collector {
    endpoint: Url,
    headers: HeaderMap,
    timeout: Duration,
    network: Network,
    is_compressed: bool,
}

#[derive(Debug)]
pub(super) struct ExportFailure {
    pub(super) problem: String,
    /// When to try again, if that may help.
    pub(super) again: Option<RetryHint>,
}

/// When another attempt may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetryHint {
    /// When the collector is reachable.
    Later,
    /// After the time that the collector demands.
    After(Option<Duration>),
}

impl ExportFailure {
    fn for_good(problem: impl Into<String>) -> Self {
        ExportFailure { problem: problem.into(), again: None }
    }
}

impl Collector {
    /// Headers that cannot be sent are left out.
    pub(super) fn new(settings: Settings) -> Self {
        let header = |(name, value): &(String, String)| {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            Some((name, HeaderValue::from_str(value).ok()?))
        };
        let headers = settings.headers.iter().filter_map(header).collect();
        let Settings { endpoint, timeout, network, is_compressed, .. } = settings;
        Collector { endpoint, headers, timeout, network, is_compressed }
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// Sends spans. Returns how many of them the collector refused, and why, if it accepted some. On an error none have arrived.
    pub(super) async fn post(&self, body: Bytes) -> Result<Option<(usize, String)>, ExportFailure> {
        let mut request = self.client()?.post(self.endpoint.clone()).timeout(self.timeout).body(body);
        request = request.headers(self.headers.clone()).header("content-type", "application/x-protobuf");
        if self.is_compressed {
            request = request.header("content-encoding", "gzip");
        }
        let answer = request.send().await.map_err(|error| send_failure(&error))?;
        let status = answer.status();
        if !status.is_success() {
            // Its text may repeat what it received.
            let problem = format!("it answered with status {}", status.as_u16());
            let again = matches!(status.as_u16(), 429 | 502..=504).then(|| RetryHint::After(wait(answer.headers())));
            return Err(ExportFailure { problem, again });
        }
        let body = Body::new(answer).whole(MAX_ANSWER).await.ok();
        Ok(body.and_then(|body| ExportTraceServiceResponse::decode(&*body).ok()).and_then(refused))
    }

    fn client(&self) -> Result<Client, ExportFailure> {
        let is_near = match self.endpoint.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        // A local collector needs no proxy and no certificates, which take some milliseconds to load.
        let client = match is_near && self.endpoint.scheme() == "http" {
            true => local_client(self.timeout),
            false => http_client(&self.network),
        };
        client.map_err(|error| ExportFailure::for_good(error.to_string()))
    }
}

/// The wait in seconds from the header; dates are ignored.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

fn refused(answer: ExportTraceServiceResponse) -> Option<(usize, String)> {
    let partial = answer.partial_success?;
    let spans = usize::try_from(partial.rejected_spans).ok().filter(|spans| *spans > 0)?;
    let text: String = partial.error_message.chars().filter(|c| !c.is_control()).take(200).collect();
    let problem = if text.is_empty() { "it refused them".to_owned() } else { format!("it refused them ({text})") };
    Some((spans, problem))
}

fn send_failure(error: &reqwest::Error) -> ExportFailure {
    if error.is_builder() {
        return ExportFailure::for_good("the request cannot be made");
    }
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let problem = match (error.is_timeout(), error.is_connect()) {
        (true, _) => "it did not answer in time".to_owned(),
        (_, true) => format!("no connection, is a collector listening there? ({cause})"),
        _ => format!("the connection broke ({cause})"),
    };
    ExportFailure { problem, again: Some(RetryHint::Later) }
}
