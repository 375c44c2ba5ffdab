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
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct DrainingTransport<T> {
    transport: T,
    is_open: bool,
    open_requests: Arc<OpenRequests>,
    deadline: Option<Instant>,
    ended: Option<oneshot::Sender<()>>,
}

#[derive(Default)]
struct OpenRequests {
    ids: Mutex<HashSet<RequestId>>,
    all_closed: Notify,
}

impl OpenRequests {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn track(&self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => drop(self.ids().insert(request.id.clone())),
            ClientJsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification {
                    self.close_request(cancelled.params.request_id.as_ref());
                }
            }
            _ => {}
        }
    }

    fn close_request(&self, id: Option<&RequestId>) {
        let mut ids = self.ids();
        id.map(|id| ids.remove(id));
        if ids.is_empty() {
            self.all_closed.notify_one();
        }
    }

    async fn wait_for_none(&self) {
        while !self.ids().is_empty() {
            self.all_closed.notified().await;
        }
    }
}

impl<T> DrainingTransport<T> {
    /// The receiver resolves at the end of input, after open requests were answered or timed out.
    pub(super) fn of(transport: T) -> (Self, oneshot::Receiver<()>) {
        let (ended, end) = oneshot::channel();
        (
            DrainingTransport {
                transport,
                is_open: false,
                open_requests: Arc::default(),
                deadline: None,
                ended: Some(ended),
            },
            end,
        )
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for DrainingTransport<T> {
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
        let (send, open_requests) = (self.transport.send(message), self.open_requests.clone());
        async move {
            let sent = send.await;
            open_requests.close_request(answered.as_ref());
            sent
        }
    }

    /// Cancel-safe.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while self.deadline.is_none() {
            let Some(message) = self.transport.receive().await else {
                self.deadline = Some(Instant::now() + DRAIN_TIMEOUT);
                break;
            };
            self.open_requests.track(&message);
            self.is_open |= opens(&message);
            if self.is_open || matches!(message, ClientJsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
        if let Some(deadline) = self.deadline {
            // Requests that take longer are cancelled.
            let _ = timeout_at(deadline, self.open_requests.wait_for_none()).await;
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
