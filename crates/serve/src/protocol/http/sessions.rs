//! MCP sessions over HTTP. A lost connection does not end a session, as the client may resume the stream. A request is
//! cancelled when no client resumes its stream in time; a session ends on request or after a long silence.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::Stream;
use rmcp::{
    model::{
        CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, RequestId,
        ServerJsonRpcMessage,
    },
    transport::streamable_http_server::{
        SessionId, SessionManager,
        session::{
            ServerSseMessage,
            local::{LocalSessionManager, LocalSessionManagerError, SessionConfig},
        },
    },
};
use tokio::runtime::Handle;

use super::session_table::SessionTable;

/// Reconnection delay that clients are given.
pub(super) const RETRY: Duration = Duration::from_secs(1);

/// How long a client has to reconnect before its request is cancelled.
const RECONNECT_TIMEOUT: Duration = if cfg!(test) { Duration::from_secs(3) } else { Duration::from_secs(5) };

/// How long a client without open streams may be silent.
const MAX_SILENCE: Duration = Duration::from_secs(30 * 60);

const SILENCE_CHECK_INTERVAL: Duration = Duration::from_secs(60);

pub(super) struct Sessions {
    shared: Arc<Shared>,
    cleanup: tokio::task::AbortHandle,
}

struct Shared {
    inner: LocalSessionManager,
    table: SessionTable,
    /// Stored because a stream may be dropped outside of the event loop.
    event_loop: Handle,
}

impl Sessions {
    /// Must be called within the event loop.
    pub(super) fn new() -> Self {
        let mut config = SessionConfig::default();
        config.sse_retry = Some(RETRY);
        // No timeout: a call may send nothing for an arbitrary time.
        config.keep_alive = None;
        let mut inner = LocalSessionManager::default();
        inner.session_config = config;
        let shared = Arc::new(Shared { inner, table: SessionTable::default(), event_loop: Handle::current() });
        let cleanup = tokio::spawn(end_silent_sessions(shared.clone())).abort_handle();
        Sessions { shared, cleanup }
    }

    fn session_stream(
        &self,
        id: &SessionId,
        request: Option<RequestId>,
        stream: impl Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    ) -> SessionStream {
        self.shared.table.open(id, request.as_ref());
        SessionStream { stream: Box::pin(stream), shared: self.shared.clone(), id: id.clone(), request }
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.cleanup.abort();
    }
}

async fn end_silent_sessions(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(SILENCE_CHECK_INTERVAL).await;
        for id in shared.table.silent(MAX_SILENCE) {
            // Fails if the session has ended meanwhile.
            let _ = shared.end(&id).await;
        }
    }
}

impl Shared {
    async fn end(&self, id: &SessionId) -> Result<(), LocalSessionManagerError> {
        for request in self.table.end(id) {
            self.cancel(id, request).await;
        }
        self.inner.close_session(id).await
    }

    /// Sends a cancellation as if it came from the client.
    async fn cancel(&self, id: &SessionId, request: RequestId) {
        let param = CancelledNotificationParam::new(Some(request), Some("the client is gone".to_owned()));
        let notification = ClientNotification::CancelledNotification(CancelledNotification::new(param));
        // Fails if the session has ended meanwhile.
        let _ = self.inner.accept_message(id, ClientJsonRpcMessage::notification(notification)).await;
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.shared.inner.create_session().await?;
        self.shared.table.begin(&id);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.shared.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.shared.table.touch(id);
        self.shared.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.shared.end(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let request = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let stream = self.shared.inner.create_stream(id, message).await?;
        Ok(self.session_stream(id, request, stream))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.shared.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.session_stream(id, None, self.shared.inner.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let request = self.shared.table.request_of(id, &last_event_id);
        Ok(self.session_stream(id, request, self.shared.inner.resume(id, last_event_id).await?))
    }
}

/// A stream to a client. If it is dropped before the response was sent, the request is cancelled after a delay, unless
/// the client resumes it.
struct SessionStream {
    stream: Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>,
    shared: Arc<Shared>,
    id: SessionId,
    /// The request whose response it carries.
    request: Option<RequestId>,
}

impl Stream for SessionStream {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.stream.as_mut().poll_next(context);
        if let (Poll::Ready(Some(event)), Some(request)) = (&polled, &self.request) {
            let table = &self.shared.table;
            match event.message.as_deref() {
                Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)) => {
                    table.answered(&self.id, request);
                }
                _ => event.event_id.iter().for_each(|event_id| table.saw_event(&self.id, request, event_id)),
            }
        }
        polled
    }
}

impl Drop for SessionStream {
    fn drop(&mut self) {
        let is_abandoned = self.shared.table.close(&self.id, self.request.as_ref());
        if let Some(request) = self.request.take().filter(|_| is_abandoned) {
            let (shared, id) = (self.shared.clone(), self.id.clone());
            self.shared.event_loop.spawn(async move {
                tokio::time::sleep(RECONNECT_TIMEOUT).await;
                if shared.table.remove_abandoned(&id, &request) {
                    shared.cancel(&id, request).await;
                }
            });
        }
    }
}
