//! Runs one call of a prompt file in a process of its own.

use std::{io, sync::Arc, time::Duration};

use serde_json::{Map, Value};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::ChildStdout,
    sync::{Semaphore, mpsc, oneshot, watch},
    time::sleep,
};

use super::{
    Outcome, Progress, ServedFile,
    child::{ChildGroup, exit_description, forward_stderr},
    event::{self, RunEvent},
    options::ServeOptions,
};

/// Longest line of a run in bytes.
const MAX_LINE: usize = 256 << 20;

/// How long a child of the run may hold its standard output open after it has ended.
const STDOUT_GRACE: Duration = Duration::from_millis(500);

/// How long a run may take to end after its final event.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Notifies tasks that the server shuts down, or that the sender was dropped.
#[derive(Clone, Debug)]
pub(super) struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    pub(super) fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Shutdown(receiver))
    }

    pub(super) async fn requested(&mut self) {
        // An error means that the sender was dropped.
        let _ = self.0.wait_for(|is_closing| *is_closing).await;
    }
}

pub(super) struct CallRunner {
    pub(super) options: Arc<ServeOptions>,
    pub(super) file: ServedFile,
    pub(super) takes_input: bool,
    pub(super) input: Map<String, Value>,
    /// Limits the number of concurrent calls.
    pub(super) slots: Arc<Semaphore>,
    pub(super) shutdown: Shutdown,
    pub(super) progress: mpsc::UnboundedSender<Progress>,
}

impl CallRunner {
    /// Runs the call, or cancels it when the receiver of its outcome is dropped.
    pub(super) async fn run(mut self, mut outcome: oneshot::Sender<Outcome>) {
        let mut shutdown = self.shutdown.clone();
        let closed = shutdown.requested();
        tokio::pin!(closed);
        let slots = self.slots.clone();
        let _slot = tokio::select! {
            biased;
            () = outcome.closed() => return,
            () = &mut closed => return drop(outcome.send(ended_with_server())),
            slot = slots.acquire() => slot,
        };
        let mut child = match self.start() {
            Ok(child) => child,
            Err(error) => return drop(outcome.send(Outcome::Failed(format!("the run cannot be started: {error}")))),
        };
        let result = tokio::select! {
            biased;
            () = outcome.closed() => None,
            () = &mut closed => Some(ended_with_server()),
            result = self.follow(&mut child) => {
                // Sent before the process has ended, so that the caller does not wait for that.
                drop(outcome.send(result));
                tokio::select! {
                    _ = child.wait() => return,
                    () = sleep(EXIT_TIMEOUT) => return child.end_process().await,
                    () = &mut closed => return child.end_process().await,
                }
            }
        };
        child.end_process().await;
        if let Some(result) = result {
            drop(outcome.send(result));
        }
    }

    fn start(&self) -> io::Result<ChildGroup> {
        let has_input = self.takes_input;
        let own: &[&str] = if has_input { &["--format=events", "--input=-"] } else { &["--format=events"] };
        let own = own.iter().map(std::ffi::OsString::from);
        let mut command = self.options.command("run", self.options.call.iter().cloned().chain(own), &self.file.path);
        if has_input {
            command.stdin(std::process::Stdio::piped());
        }
        ChildGroup::start(&mut command)
    }

    /// Writes the input, forwards progress and waits for the outcome.
    async fn follow(&mut self, child: &mut ChildGroup) -> Outcome {
        let (stdin, stdout, stderr) = child.pipes();
        if let Some(stderr) = stderr {
            tokio::spawn(forward_stderr(self.file.name.clone(), stderr, self.options.log.clone()));
        }
        let input = Value::Object(std::mem::take(&mut self.input)).to_string();
        let write_input = async {
            if let Some(mut stdin) = stdin {
                // Fails if the run does not read its input; the run reports why.
                let _ = stdin.write_all(input.as_bytes()).await;
            }
            // `stdin` is closed here, which ends the input.
            std::future::pending::<()>().await;
        };
        let Some(stdout) = stdout else { return Outcome::Failed("the run cannot be followed".to_owned()) };
        let exited = async {
            child.wait().await;
            sleep(STDOUT_GRACE).await;
        };
        let result = tokio::select! {
            biased;
            result = self.listen(stdout) => result,
            () = exited => None,
            () = write_input => unreachable!("handing in never ends by itself"),
        };
        match result {
            Some(result) => result,
            None => {
                let how = exit_description(child.wait().await);
                Outcome::Failed(format!("the run broke off without a result: {how}"))
            }
        }
    }

    async fn listen(&self, stdout: ChildStdout) -> Option<Outcome> {
        let mut lines = BufReader::with_capacity(64 << 10, stdout);
        let (mut line, mut count) = (Vec::new(), 0);
        loop {
            line.clear();
            let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
            let length = (&mut lines).take(limit).read_until(b'\n', &mut line).await.ok()?;
            if length == 0 {
                return None;
            }
            if line.last() != Some(&b'\n') && length >= MAX_LINE {
                return Some(Outcome::Failed(format!("the run said more than {} MiB at once", MAX_LINE >> 20)));
            }
            match event::read(&line, self.file.output.is_some()) {
                RunEvent::Progress(message) => {
                    count += 1;
                    // The receiver may have been dropped.
                    let _ = self.progress.send(Progress { count, message });
                }
                RunEvent::End(outcome) => return Some(outcome),
                RunEvent::Nothing => {}
            }
        }
    }
}

fn ended_with_server() -> Outcome {
    Outcome::Failed("the call was ended: the server ends".to_owned())
}
