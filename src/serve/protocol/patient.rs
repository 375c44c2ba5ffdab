//! The two ends of a connection, where the library would give up: what comes before the first request is passed over, and when the
//! client has nothing more to say, what it has asked is answered first. Must not know what is asked.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, RequestId, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    sync::{Notify, oneshot},
    time::{Instant, timeout_at},
};

/// How long what was asked may still take when the client has nothing more to say, as in `printf … | lmthing mcp`.
const FAREWELL: Duration = Duration::from_secs(1);

/// A transport that is patient with the client.
pub(super) struct Patient<T> {
    transport: T,
    is_open: bool,
    asked: Arc<Asked>,
    /// When all is over, once the client has nothing more to say.
    until: Option<Instant>,
    ended: Option<oneshot::Sender<()>>,
}

/// The requests that are not answered.
#[derive(Default)]
struct Asked {
    ids: Mutex<HashSet<RequestId>>,
    none: Notify,
}

impl Asked {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => drop(self.ids().insert(request.id.clone())),
            ClientJsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification {
                    self.settle(cancelled.params.request_id.as_ref());
                }
            }
            _ => {}
        }
    }

    fn settle(&self, id: Option<&RequestId>) {
        let mut ids = self.ids();
        id.map(|id| ids.remove(id));
        if ids.is_empty() {
            self.none.notify_one();
        }
    }

    async fn wait_for_none(&self) {
        while !self.ids().is_empty() {
            self.none.notified().await;
        }
    }
}

impl<T> Patient<T> {
    /// The second tells when all is over.
    pub(super) fn of(transport: T) -> (Self, oneshot::Receiver<()>) {
        let (ended, end) = oneshot::channel();
        (Patient { transport, is_open: false, asked: Arc::default(), until: None, ended: Some(ended) }, end)
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            ServerJsonRpcMessage::Response(answer) => Some(answer.id.clone()),
            ServerJsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (send, asked) = (self.transport.send(message), self.asked.clone());
        async move {
            let sent = send.await;
            asked.settle(answered.as_ref());
            sent
        }
    }

    /// May be broken off and called again.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while self.until.is_none() {
            let Some(message) = self.transport.receive().await else {
                self.until = Some(Instant::now() + FAREWELL);
                break;
            };
            self.asked.hear(&message);
            self.is_open |= opens(&message);
            if self.is_open || matches!(message, ClientJsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
        if let Some(until) = self.until {
            // What takes longer is cancelled.
            let _ = timeout_at(until, self.asked.wait_for_none()).await;
        }
        // Nobody listens when the connection was never open.
        self.ended.take().map(|ended| ended.send(()));
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

/// Whether the connection is open with this message: by a handshake, or as the first request that says for itself which version
/// of the protocol it speaks.
fn opens(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => request.get_meta().protocol_version().is_some(),
    }
}
