//! MCP over two streams, usually standard input and output.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use rmcp::serve_server;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Notify,
};

use super::{super::PromptFiles, draining::DrainingTransport, handler::Handler, line_transport::LineTransport};

/// Serves one client until its stream ends or cannot be written to; then cancels its calls.
pub async fn serve_stdio(
    files: Arc<dyn PromptFiles>,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) {
    let closed = Arc::new(Notify::new());
    let transport = LineTransport::new(read, NotifyOnError { write, closed: closed.clone() });
    let (transport, end) = DrainingTransport::of(transport);
    let serve = async {
        // Fails if the client closes before the handshake.
        let Ok(service) = serve_server(Handler::new(files), transport).await else { return };
        let cancel = service.cancellation_token();
        tokio::select! {
            _ = service.waiting() => {}
            _ = end => {}
        }
        cancel.cancel();
    };
    tokio::select! {
        () = serve => {}
        () = closed.notified() => {}
    }
}

/// A writer that notifies `closed` on the first write error.
struct NotifyOnError<W> {
    write: W,
    closed: Arc<Notify>,
}

impl<W> NotifyOnError<W> {
    fn check<T>(&self, result: io::Result<T>) -> Poll<io::Result<T>> {
        if result.is_err() {
            self.closed.notify_one();
        }
        Poll::Ready(result)
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for NotifyOnError<W> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.write).poll_write(context, bytes));
        self.check(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.write).poll_flush(context));
        self.check(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_shutdown(context)
    }
}
