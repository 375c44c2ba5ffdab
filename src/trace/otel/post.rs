//! One request to the collector, and what its answer means. Must not know what is sent.

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
use crate::http::{Body, Network, http_client, near_client};

/// How long an answer may be that is looked at.
const LONGEST_ANSWER: usize = 64 << 10;

/// Where spans are sent, and how.
pub(super) struct Collector {
    endpoint: Url,
    headers: HeaderMap,
    timeout: Duration,
    network: Network,
    is_compressed: bool,
}

/// Why spans did not arrive.
#[derive(Debug)]
pub(super) struct Refusal {
    /// In words.
    pub(super) problem: String,
    /// When it may go well, if it may.
    pub(super) again: Option<Again>,
}

/// When another attempt may go well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// When somebody listens there.
    Later,
    /// After so long, as the collector says.
    After(Option<Duration>),
}

impl Refusal {
    fn for_good(problem: impl Into<String>) -> Self {
        Refusal { problem: problem.into(), again: None }
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

    /// Sends spans. Says how many of them the collector refused, and why, when it took some.
    ///
    /// # Errors
    /// None of them has arrived.
    pub(super) async fn post(&self, body: Bytes) -> Result<Option<(usize, String)>, Refusal> {
        let mut request = self.client()?.post(self.endpoint.clone()).timeout(self.timeout).body(body);
        request = request.headers(self.headers.clone()).header("content-type", "application/x-protobuf");
        if self.is_compressed {
            request = request.header("content-encoding", "gzip");
        }
        let answer = request.send().await.map_err(|error| unsent(&error))?;
        let status = answer.status();
        if !status.is_success() {
            // Its words may repeat what it was sent.
            let problem = format!("it answered with status {}", status.as_u16());
            let again = matches!(status.as_u16(), 429 | 502..=504).then(|| Again::After(wait(answer.headers())));
            return Err(Refusal { problem, again });
        }
        let body = Body::new(answer).whole(LONGEST_ANSWER).await.ok();
        Ok(body.and_then(|body| ExportTraceServiceResponse::decode(&*body).ok()).and_then(refused))
    }

    fn client(&self) -> Result<Client, Refusal> {
        let is_near = match self.endpoint.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        // What is near needs no certificates, which take some milliseconds to read, and no proxy.
        let client = match is_near && self.endpoint.scheme() == "http" {
            true => near_client(self.timeout),
            false => http_client(&self.network),
        };
        client.map_err(|error| Refusal::for_good(error.to_string()))
    }
}

/// How long to wait by the header, in seconds; dates are not worth it.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

fn refused(answer: ExportTraceServiceResponse) -> Option<(usize, String)> {
    let partial = answer.partial_success?;
    let spans = usize::try_from(partial.rejected_spans).ok().filter(|spans| *spans > 0)?;
    let words: String = partial.error_message.chars().filter(|c| !c.is_control()).take(200).collect();
    let problem = if words.is_empty() { "it refused them".to_owned() } else { format!("it refused them ({words})") };
    Some((spans, problem))
}

fn unsent(error: &reqwest::Error) -> Refusal {
    if error.is_builder() {
        return Refusal::for_good("the request cannot be made");
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
    Refusal { problem, again: Some(Again::Later) }
}
