//! Runs one call of a prompt file in a process of its own.

use std::{io, sync::Arc, time::Duration};

use serde_json::{Map, Value};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::ChildStdout,
    sync::{Semaphore, mpsc, oneshot},
    time::sleep,
};

use super::{
    Outcome, Progress, ServedFile,
    child::{OwnChild, ending, tell_lines},
    closing::Closing,
    event::{self, Said},
    options::ServeOptions,
};

/// Longest line of a run in bytes.
const MAX_LINE: usize = 256 << 20;

/// How long a child of the run may hold its standard output open after it has ended.
const LEFT_OPEN: Duration = Duration::from_millis(500);

/// How long a run may take to end after its final event.
const TO_END: Duration = Duration::from_secs(5);

pub(super) struct Conduct {
    pub(super) options: Arc<ServeOptions>,
    pub(super) file: ServedFile,
    pub(super) takes_input: bool,
    pub(super) input: Map<String, Value>,
    /// Limits the number of concurrent calls.
    pub(super) turns: Arc<Semaphore>,
    /// The server ends.
    pub(super) closing: Closing,
    pub(super) progress: mpsc::UnboundedSender<Progress>,
}

impl Conduct {
    /// Runs the call, or cancels it when the receiver of its outcome is dropped.
    pub(super) async fn run(mut self, mut outcome: oneshot::Sender<Outcome>) {
        let mut closing = self.closing.clone();
        let closed = closing.heard();
        tokio::pin!(closed);
        let turns = self.turns.clone();
        let _turn = tokio::select! {
            biased;
            () = outcome.closed() => return,
            () = &mut closed => return drop(outcome.send(ended_with_server())),
            turn = turns.acquire() => turn,
        };
        let mut child = match self.start() {
            Ok(child) => child,
            Err(error) => return drop(outcome.send(Outcome::Failed(format!("the run cannot be started: {error}")))),
        };
        let came_to = tokio::select! {
            biased;
            () = outcome.closed() => None,
            () = &mut closed => Some(ended_with_server()),
            came_to = self.follow(&mut child) => {
                // Sent before the process has ended, so that the caller does not wait for that.
                drop(outcome.send(came_to));
                tokio::select! {
                    _ = child.ended() => return,
                    () = sleep(TO_END) => return child.end().await,
                    () = &mut closed => return child.end().await,
                }
            }
        };
        child.end().await;
        if let Some(came_to) = came_to {
            drop(outcome.send(came_to));
        }
    }

    fn start(&self) -> io::Result<OwnChild> {
        let has_input = self.takes_input;
        let own: &[&str] = if has_input { &["--format=events", "--input=-"] } else { &["--format=events"] };
        let own = own.iter().map(std::ffi::OsString::from);
        let mut command = self.options.command("run", self.options.call.iter().cloned().chain(own), &self.file.path);
        if has_input {
            command.stdin(std::process::Stdio::piped());
        }
        OwnChild::start(&mut command)
    }

    /// Writes the input, forwards progress and waits for the outcome.
    async fn follow(&mut self, child: &mut OwnChild) -> Outcome {
        let (stdin, stdout, stderr) = child.pipes();
        if let Some(stderr) = stderr {
            tokio::spawn(tell_lines(self.file.name.clone(), stderr, self.options.told.clone()));
        }
        let input = Value::Object(std::mem::take(&mut self.input)).to_string();
        let hand_in = async {
            if let Some(mut stdin) = stdin {
                // Fails if the run does not read its input; the run reports why.
                let _ = stdin.write_all(input.as_bytes()).await;
            }
            // `stdin` is closed here, which ends the input.
            std::future::pending::<()>().await;
        };
        let Some(stdout) = stdout else { return Outcome::Failed("the run cannot be followed".to_owned()) };
        let gone = async {
            child.ended().await;
            sleep(LEFT_OPEN).await;
        };
        let came_to = tokio::select! {
            biased;
            came_to = self.listen(stdout) => came_to,
            () = gone => None,
            () = hand_in => unreachable!("handing in never ends by itself"),
        };
        match came_to {
            Some(came_to) => came_to,
            None => {
                let how = ending(child.ended().await);
                Outcome::Failed(format!("the run broke off without a result: {how}"))
            }
        }
    }

    async fn listen(&self, stdout: ChildStdout) -> Option<Outcome> {
        let mut lines = BufReader::with_capacity(64 << 10, stdout);
        let (mut line, mut count) = (Vec::new(), 0);
        loop {
            line.clear();
            let room = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
            let length = (&mut lines).take(room).read_until(b'\n', &mut line).await.ok()?;
            if length == 0 {
                return None;
            }
            if line.last() != Some(&b'\n') && length >= MAX_LINE {
                return Some(Outcome::Failed(format!("the run said more than {} MiB at once", MAX_LINE >> 20)));
            }
            match event::read(&line, self.file.output.is_some()) {
                Said::Progress(message) => {
                    count += 1;
                    // The receiver may have been dropped.
                    let _ = self.progress.send(Progress { count, message });
                }
                Said::End(outcome) => return Some(outcome),
                Said::Nothing => {}
            }
        }
    }
}

fn ended_with_server() -> Outcome {
    Outcome::Failed("the call was ended: the server ends".to_owned())
}
