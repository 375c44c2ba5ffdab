//! The beginning of a connection: what comes too early is passed over, where the library would give up. Must not know what is asked.

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::oneshot;

/// A transport on which notifications and answers before the first request that opens the connection are passed over.
pub(super) struct Opening<T> {
    transport: T,
    is_open: bool,
    /// Is told when the client says nothing more.
    ended: Option<oneshot::Sender<()>>,
}

impl<T> Opening<T> {
    /// The second tells when the client says nothing more.
    pub(super) fn of(transport: T) -> (Self, oneshot::Receiver<()>) {
        let (ended, end) = oneshot::channel();
        (Opening { transport, is_open: false, ended: Some(ended) }, end)
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Opening<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Some(message) = self.transport.receive().await else {
                // Nobody listens once the connection is over.
                self.ended.take().map(|ended| ended.send(()));
                return None;
            };
            self.is_open |= opens(&message);
            if self.is_open || matches!(message, ClientJsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
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
