//! What a server has to say, written to standard error by a thread of its own: nobody may be reading there, and the server must go on
//! all the same. Must not know what is said.

use std::{thread, time::Duration};

use tokio::{sync::oneshot, time::timeout};

use super::{printer::write_stderr, stream::Stream};
use crate::serve::Told;

/// How long the last lines may take at the end.
const FAREWELL: Duration = Duration::from_millis(500);

/// Writes what it is told.
pub(super) struct Teller {
    pub(super) told: Told,
    is_written: oneshot::Receiver<()>,
}

impl Teller {
    /// From now on. `has_colours` says that lines may have colours of our own, and nothing else that a terminal acts on.
    pub(super) fn start(has_colours: bool) -> Self {
        let stream = Stream { has_colours, ..Stream::stderr() };
        let (told, heard) = Told::new();
        let (tell, is_written) = oneshot::channel();
        let write = move || {
            heard.each(|line| write_stderr(stream, &format!("{line}\n")));
            // Whoever waits may have lost patience.
            let _ = tell.send(());
        };
        // A server that cannot have one more thread serves without a word.
        let _ = thread::Builder::new().name("lmthing-tell".to_owned()).spawn(write);
        Teller { told, is_written }
    }

    /// Waits until the last line is written, but not long. Whether it is.
    pub(super) async fn end(self) -> bool {
        self.told.end();
        timeout(FAREWELL, self.is_written).await.is_ok()
    }
}
