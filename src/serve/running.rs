//! One call: a run of the file in a process of its own, followed to its end. Must not know which files there are.

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

/// No line of a run is longer: a result of more bytes than that is none that anybody could use.
const MAX_LINE: usize = 256 << 20;

/// How long something that a run has started may hold on to its standard output after its end.
const LEFT_OPEN: Duration = Duration::from_millis(500);

/// How long a run may take to end once it has told what it came to.
const TO_END: Duration = Duration::from_secs(5);

/// What a call needs.
pub(super) struct Conduct {
    pub(super) options: Arc<ServeOptions>,
    pub(super) file: ServedFile,
    /// Whether the file has an `input` at all.
    pub(super) takes_input: bool,
    pub(super) input: Map<String, Value>,
    /// So many calls run at the same time; the others wait their turn.
    pub(super) turns: Arc<Semaphore>,
    /// The server ends.
    pub(super) closing: Closing,
    pub(super) progress: mpsc::UnboundedSender<Progress>,
}

impl Conduct {
    /// Runs the call, until nobody waits for its outcome any more.
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
                // Nobody waits for the process to be gone.
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

    /// Hands in the input, tells of what happens, and waits for what it comes to.
    async fn follow(&mut self, child: &mut OwnChild) -> Outcome {
        let (stdin, stdout, stderr) = child.pipes();
        if let Some(stderr) = stderr {
            tokio::spawn(tell_lines(self.file.name.clone(), stderr, self.options.told.clone()));
        }
        let input = Value::Object(std::mem::take(&mut self.input)).to_string();
        let hand_in = async {
            if let Some(mut stdin) = stdin {
                // A run that does not read to the end says why.
                let _ = stdin.write_all(input.as_bytes()).await;
            }
            // Closed by now: the input is whole.
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
                    // Nobody listening is fine.
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
