//! The ingress: runs are submitted, their results collected, decisions handed in. Must not know what a result says.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::{
    Address, RemoteError,
    client::{Ask, Client, Reply, message_of},
};

/// The handler of `lmthing worker` that answers with the report of a run.
const HANDLER: &str = "report";

/// How long a result is waited for in one request; shorter than what lies between usually takes for dead (60 s).
const HELD: Duration = Duration::from_secs(50);

/// Requests that are held open at once. Each is answered the moment a run is over, but hundreds that come back together after a
/// restart keep the server busy for minutes: beyond these it is asked now and then.
const MAX_HELD: usize = 32;

/// How often is asked for a result: so many times while a run takes as long again.
const LOOKS: u32 = 8;

/// The shortest and the longest time between two looks.
const BETWEEN: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(2));

/// The status for a result that is not there yet.
const NOT_READY: u16 = 470;

/// The ingress of a server.
pub(crate) struct Remote {
    client: Client,
    held: Semaphore,
}

/// An invocation that the server has taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Submitted {
    /// What the server calls it.
    #[serde(rename = "invocationId")]
    pub(crate) invocation: String,
    #[serde(default)]
    status: String,
    /// Whether it has it from an earlier command: not from this one, whose request was repeated.
    #[serde(skip)]
    pub(crate) is_earlier: bool,
}

/// What an invocation came to.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    /// The answer of the handler.
    Answer(Value),
    /// It failed for good: a status and a message.
    Failed(u16, String),
    /// The server does not know it any more.
    Gone,
}

impl Remote {
    /// The ingress at this address, for this thread. `variables` have the token and proxies.
    ///
    /// # Errors
    /// A variable is wrong.
    pub(crate) fn new(address: &Address, variables: &[(String, String)]) -> Result<Self, RemoteError> {
        Ok(Remote { client: Client::new(address, variables)?, held: Semaphore::new(MAX_HELD) })
    }

    /// Why requests are being sent again, while they are.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.client.trouble()
    }

    /// Submits an input; the same key again runs nothing.
    ///
    /// # Errors
    /// The server cannot be asked, or refuses.
    pub(crate) async fn submit(&self, service: &str, key: &str, input: &Value) -> Result<Submitted, RemoteError> {
        let url = self.client.address.at(&[service, HANDLER, "send"]);
        let reply = self.client.ask(&Ask { key: Some(key), ..Ask::post(url, input) }).await?;
        if reply.status == 404 {
            return Err(self.unknown(service, &reply));
        }
        let Some(submitted) = is_good(&reply).then(|| serde_json::from_slice::<Submitted>(&reply.body).ok()).flatten()
        else {
            return Err(self.client.refusal(&reply));
        };
        let is_earlier = submitted.status == "PreviouslyAccepted" && !reply.is_repeated;
        Ok(Submitted { is_earlier, ..submitted })
    }

    /// What an invocation came to, if it is over.
    ///
    /// # Errors
    /// The server cannot be asked, or refuses.
    pub(crate) async fn output(&self, invocation: &str) -> Result<Option<Ended>, RemoteError> {
        let url = self.client.address.at(&["restate", "invocation", invocation, "output"]);
        let reply = self.client.ask(&Ask::get(url)).await?;
        self.ended(&reply)
    }

    /// Waits until an invocation is over.
    ///
    /// # Errors
    /// The server cannot be asked, or refuses.
    pub(crate) async fn wait(&self, invocation: &str) -> Result<Ended, RemoteError> {
        let began = Instant::now();
        loop {
            if let Ok(_permit) = self.held.try_acquire() {
                return self.hold(invocation).await;
            }
            if let Some(ended) = self.output(invocation).await? {
                return Ok(ended);
            }
            tokio::time::sleep((began.elapsed() / LOOKS).clamp(BETWEEN.0, BETWEEN.1)).await;
        }
    }

    /// Holds requests open until one is answered.
    async fn hold(&self, invocation: &str) -> Result<Ended, RemoteError> {
        let url = self.client.address.at(&["restate", "invocation", invocation, "attach"]);
        loop {
            let ask = Ask::get(url.clone());
            // Dropped when it takes longer: that is no failure of the server.
            if let Ok(reply) = tokio::time::timeout(HELD, self.client.ask(&Ask { within: HELD * 2, ..ask })).await
                && let Some(ended) = self.ended(&reply?)?
            {
                return Ok(ended);
            }
            // A server that has stopped answering is noticed here.
            if let Some(ended) = self.output(invocation).await? {
                return Ok(ended);
            }
        }
    }

    /// Decides what an awakeable waits for.
    ///
    /// # Errors
    /// The server cannot be asked, or refuses: there is no such awakeable.
    pub(crate) async fn resolve(&self, awakeable: &str, decision: &Value) -> Result<(), RemoteError> {
        let url = self.client.address.at(&["restate", "awakeables", awakeable, "resolve"]);
        let reply = self.client.ask(&Ask::post(url, decision)).await?;
        if is_good(&reply) { Ok(()) } else { Err(self.client.refusal(&reply)) }
    }

    fn ended(&self, reply: &Reply) -> Result<Option<Ended>, RemoteError> {
        let message = || message_of(reply).unwrap_or_default();
        match reply.status {
            NOT_READY => Ok(None),
            status if reply.is_of_invocation && status >= 400 => Ok(Some(Ended::Failed(status, message()))),
            404 if message_of(reply).is_some() => Ok(Some(Ended::Gone)),
            status if is_good(reply) => {
                // A handler may answer with nothing at all.
                let answer = if reply.body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&reply.body) };
                Ok(Some(
                    answer.map_or_else(|_| Ended::Failed(status, "its answer is no JSON".to_owned()), Ended::Answer),
                ))
            }
            _ => Err(self.client.refusal(reply)),
        }
    }

    fn unknown(&self, service: &str, reply: &Reply) -> RemoteError {
        let address = &self.client.address;
        let Some(message) = message_of(reply) else { return self.client.refusal(reply) };
        let hint = if message.contains("handler") {
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

fn is_good(reply: &Reply) -> bool {
    (200..300).contains(&reply.status)
}
