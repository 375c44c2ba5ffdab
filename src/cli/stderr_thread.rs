//! Thread that writes the log lines of a server to standard error. The server must not block if nothing reads them.

use std::{thread, time::Duration};

use tokio::{sync::oneshot, time::timeout};

use super::{printer::write_stderr, stream::Stream};
use lmthing_serve::LineSender;

const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);

pub(super) struct StderrThread {
    pub(super) log: LineSender,
    is_written: oneshot::Receiver<()>,
}

impl StderrThread {
    /// `has_colours` allows our own colours in lines.
    pub(super) fn start(has_colours: bool) -> Self {
        let stream = Stream { has_colours, ..Stream::stderr() };
        let (log, receiver) = LineSender::new();
        let (sender, is_written) = oneshot::channel();
        let write = move || {
            receiver.each(|line| write_stderr(stream, &format!("{line}\n")));
            // The receiver may be gone after a timeout.
            let _ = sender.send(());
        };
        // If no thread can be started, nothing is logged.
        let _ = thread::Builder::new().name("lmthing-tell".to_owned()).spawn(write);
        StderrThread { log, is_written }
    }

    /// Waits briefly until the last line is written. Returns whether it was.
    pub(super) async fn end(self) -> bool {
        self.log.end();
        timeout(FLUSH_TIMEOUT, self.is_written).await.is_ok()
    }
}
