//! Restate's ingress API: submits runs, fetches their results, resolves approvals.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::{
    Address, RemoteError,
    client::{ApiRequest, Client, Reply, message_of},
};

/// The handler of `lmthing worker` that returns the report of a run.
const HANDLER: &str = "report";

/// Longest request for a result. Proxies usually close idle connections after 60 s.
const ATTACH_TIME: Duration = Duration::from_secs(50);

/// Most requests that are held open. The server answers them as soon as the runs end, but hundreds that reconnect after
/// a restart keep it busy for minutes. Further runs are polled.
const MAX_ATTACHED: usize = 32;

/// Polls while the running time of a run doubles, roughly: the interval is its age divided by this.
const POLLS_PER_DOUBLING: u32 = 8;

/// Shortest and longest interval between polls.
const POLL_INTERVAL: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(2));

/// Status of a result that is not available yet.
const NOT_READY: u16 = 470;

pub struct IngressClient {
    client: Client,
    attached: Semaphore,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Submitted {
    #[serde(rename = "invocationId")]
    pub invocation: String,
    #[serde(default)]
    status: String,
    /// Whether an earlier command submitted it. A request that was repeated by this command does not count.
    #[serde(skip)]
    pub is_earlier: bool,
}

#[derive(Clone, Debug)]
pub enum InvocationResult {
    Answer(Value),
    /// Failed permanently, with a status and a message.
    Failed(u16, String),
    Gone,
}

impl IngressClient {
    /// `variables` hold the bearer token and proxy settings.
    pub fn new(address: &Address, variables: &[(String, String)]) -> Result<Self, RemoteError> {
        Ok(IngressClient { client: Client::new(address, variables)?, attached: Semaphore::new(MAX_ATTACHED) })
    }

    pub fn retry_reason(&self) -> Option<String> {
        self.client.retry_reason()
    }

    /// Submits an input. A key that the server knows starts no new run.
    pub async fn submit(&self, service: &str, key: &str, input: &Value) -> Result<Submitted, RemoteError> {
        let url = self.client.address.at(&[service, HANDLER, "send"]);
        let reply = self.client.send(&ApiRequest { key: Some(key), ..ApiRequest::post(url, input) }).await?;
        if reply.status == 404 {
            return Err(self.unknown(service, &reply));
        }
        let Some(submitted) =
            is_success(&reply).then(|| serde_json::from_slice::<Submitted>(&reply.body).ok()).flatten()
        else {
            return Err(self.client.refusal(&reply));
        };
        let is_earlier = submitted.status == "PreviouslyAccepted" && !reply.is_repeated;
        Ok(Submitted { is_earlier, ..submitted })
    }

    /// Returns the result of an invocation, or `None` while it runs.
    pub async fn output(&self, invocation: &str) -> Result<Option<InvocationResult>, RemoteError> {
        let url = self.client.address.at(&["restate", "invocation", invocation, "output"]);
        let reply = self.client.send(&ApiRequest::get(url)).await?;
        self.result(&reply)
    }

    pub async fn wait(&self, invocation: &str) -> Result<InvocationResult, RemoteError> {
        let began = Instant::now();
        loop {
            if let Ok(_permit) = self.attached.try_acquire() {
                return self.attach(invocation).await;
            }
            if let Some(result) = self.output(invocation).await? {
                return Ok(result);
            }
            tokio::time::sleep((began.elapsed() / POLLS_PER_DOUBLING).clamp(POLL_INTERVAL.0, POLL_INTERVAL.1)).await;
        }
    }

    async fn attach(&self, invocation: &str) -> Result<InvocationResult, RemoteError> {
        let url = self.client.address.at(&["restate", "invocation", invocation, "attach"]);
        loop {
            let request = ApiRequest::get(url.clone());
            // A timeout here is expected and no failure of the server.
            if let Ok(reply) =
                tokio::time::timeout(ATTACH_TIME, self.client.send(&ApiRequest { within: ATTACH_TIME * 2, ..request }))
                    .await
                && let Some(result) = self.result(&reply?)?
            {
                return Ok(result);
            }
            // A request without waiting shows whether the server still answers.
            if let Some(result) = self.output(invocation).await? {
                return Ok(result);
            }
        }
    }

    pub async fn resolve(&self, awakeable: &str, decision: &Value) -> Result<(), RemoteError> {
        let url = self.client.address.at(&["restate", "awakeables", awakeable, "resolve"]);
        let reply = self.client.send(&ApiRequest::post(url, decision)).await?;
        if is_success(&reply) { Ok(()) } else { Err(self.client.refusal(&reply)) }
    }

    fn result(&self, reply: &Reply) -> Result<Option<InvocationResult>, RemoteError> {
        let message = || message_of(reply).unwrap_or_default();
        match reply.status {
            NOT_READY => Ok(None),
            status if reply.is_of_invocation && status >= 400 => Ok(Some(InvocationResult::Failed(status, message()))),
            404 if message_of(reply).is_some() => Ok(Some(InvocationResult::Gone)),
            status if is_success(reply) => {
                let answer = if reply.body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&reply.body) };
                Ok(Some(answer.map_or_else(
                    |_| InvocationResult::Failed(status, "its answer is no JSON".to_owned()),
                    InvocationResult::Answer,
                )))
            }
            _ => Err(self.client.refusal(reply)),
        }
    }

    fn unknown(&self, service: &str, reply: &Reply) -> RemoteError {
        let address = &self.client.address;
        let Some(message) = message_of(reply) else { return self.client.refusal(reply) };
        // The server tells the two apart only in its message, which may also quote a service named like a handler.
        let is_service_known = message.replace(&format!("'{service}'"), "").contains("handler");
        let hint = if is_service_known {
            "it is no service of lmthing worker: --service names the right one".to_owned()
        } else {
            let command = "lmthing worker FILE --register ADMIN_URL";
            format!("is a worker registered ({command})? Another name of the service is given with --service")
        };
        RemoteError::new(format!(
            "the server at {address} has no service {service} with a handler {HANDLER}: {message}"
        ))
        .with_hint(hint)
        .usage()
    }
}

fn is_success(reply: &Reply) -> bool {
    (200..300).contains(&reply.status)
}
