//! MCP transport that ignores messages before the first request, and answers open requests after the end of input. rmcp
//! would close the connection in both cases.

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

/// How long open requests may take after the end of input, as in `printf … | lmthing mcp`.
const FAREWELL: Duration = Duration::from_secs(1);

pub(super) struct Patient<T> {
    transport: T,
    is_open: bool,
    asked: Arc<Asked>,
    /// Deadline for open requests, after the end of input.
    until: Option<Instant>,
    ended: Option<oneshot::Sender<()>>,
}

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
    /// The receiver resolves at the end of input, after open requests were answered or timed out.
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

    /// Cancel-safe.
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
            // Requests that take longer are cancelled.
            let _ = timeout_at(until, self.asked.wait_for_none()).await;
        }
        // Fails if no client has connected.
        self.ended.take().map(|ended| ended.send(()));
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

/// Whether a message opens the connection: a handshake, or a request that carries its protocol version.
fn opens(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => request.get_meta().protocol_version().is_some(),
    }
}
