//! Standard input of a run that is watched: what comes through a pipe or from a file can be read only once, and every run
//! is to have all of it. Must not know when a run begins or ends.

use std::{
    io::{self, IsTerminal, Read},
    process::Stdio,
};

use tokio::{io::AsyncWriteExt, process::ChildStdin, task::JoinHandle};

/// What is read at once.
const PIECE: usize = 64 << 10;

/// What has come through standard input so far.
#[derive(Default)]
pub(super) struct WatchInput {
    known: Vec<u8>,
    /// Reading cannot be broken off, so that what comes late is kept for the next run.
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
    is_over: bool,
}

impl WatchInput {
    /// What a run is to be started with. A terminal it gets itself: there is somebody to type anew.
    pub(super) fn stdio() -> Stdio {
        if io::stdin().is_terminal() { Stdio::inherit() } else { Stdio::piped() }
    }

    /// Gives a run everything, as fast as it reads. Never resolves: a run ends by itself.
    pub(super) async fn feed(&mut self, stdin: Option<ChildStdin>) {
        if let Some(stdin) = stdin {
            // One that does not want to read any more has closed its end.
            let _ = self.feed_all(stdin).await;
        }
        std::future::pending().await
    }

    async fn feed_all(&mut self, mut stdin: ChildStdin) -> io::Result<()> {
        let mut given = 0;
        loop {
            stdin.write_all(&self.known[given..]).await?;
            given = self.known.len();
            if self.is_over {
                return Ok(());
            }
            self.read().await;
        }
    }

    /// Waits for the next piece.
    async fn read(&mut self) {
        let reading = self.reading.get_or_insert_with(|| tokio::task::spawn_blocking(piece));
        let piece = reading.await;
        self.reading = None;
        match piece {
            Ok(Ok(piece)) if !piece.is_empty() => self.known.extend(piece),
            // What cannot be read is over.
            _ => self.is_over = true,
        }
    }
}

fn piece() -> io::Result<Vec<u8>> {
    let mut piece = vec![0; PIECE];
    let length = io::stdin().lock().read(&mut piece)?;
    piece.truncate(length);
    Ok(piece)
}
