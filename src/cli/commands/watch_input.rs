//! Standard input of watched runs: piped input is stored, so that every run gets all of it.

use std::{
    io::{self, IsTerminal, Read},
    process::Stdio,
};

use tokio::{io::AsyncWriteExt, process::ChildStdin, task::JoinHandle};

const PIECE: usize = 64 << 10;

#[derive(Default)]
pub(super) struct WatchInput {
    known: Vec<u8>,
    /// A blocking read cannot be cancelled; its result is used by the next run.
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
    is_over: bool,
}

impl WatchInput {
    /// The terminal itself, or a pipe.
    pub(super) fn stdio() -> Stdio {
        if io::stdin().is_terminal() { Stdio::inherit() } else { Stdio::piped() }
    }

    /// Never returns.
    pub(super) async fn feed(&mut self, stdin: Option<ChildStdin>) {
        if let Some(stdin) = stdin {
            // Fails if the run has closed its input, which is no error.
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

    async fn read(&mut self) {
        let reading = self.reading.get_or_insert_with(|| tokio::task::spawn_blocking(piece));
        let piece = reading.await;
        self.reading = None;
        match piece {
            Ok(Ok(piece)) if !piece.is_empty() => self.known.extend(piece),
            // An error ends the input.
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
