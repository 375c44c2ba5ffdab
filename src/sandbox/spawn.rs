//! Starting worker processes, and the host's end of their pipes.

use std::{
    io,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde::{Serialize, de::DeserializeOwned};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, ChildStdout, Command},
};

use super::protocol::{decode, encode, frame_length};

/// The hidden subcommand that makes the binary a worker: `main.rs` hands over to [`super::worker::main`] when the first
/// argument is this.
pub const WORKER_SUBCOMMAND: &str = "__sandbox-worker";

/// The program to start: this binary itself.
pub(crate) fn own_program() -> PathBuf {
    // The link stays right when the file is replaced or removed while the program runs.
    let link = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() {
        return link.to_owned();
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lmthing"))
}

/// Whoever started this program may have left files open in it without marking them; a worker must not inherit them. What
/// the standard library opens is marked from the beginning.
fn keep_inherited_files_back() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| close_fds::set_fds_cloexec_threadsafe(3, &[]));
    }
}

/// A worker process. Dropping it kills the process.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// Bytes read that are not a whole frame yet: reading can be cancelled at any time without losing any.
    buffer: Vec<u8>,
    /// How many runs it has done.
    pub runs: u32,
}

impl Worker {
    /// Starts a process with no environment, no working directory of ours, and nothing open but its two pipes.
    pub(super) fn spawn(program: &Path, memory_bytes: usize) -> io::Result<Self> {
        keep_inherited_files_back();
        let mut command = Command::new(program);
        command.arg(WORKER_SUBCOMMAND).arg(memory_bytes.to_string());
        // The environment holds the providers' keys: code that broke out would find none.
        command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        if cfg!(unix) {
            // A worker must not keep a folder of the user's busy.
            command.current_dir("/");
        }
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the worker has no pipes"));
        };
        Ok(Self { child, stdin, stdout, buffer: Vec::new(), runs: 0 })
    }

    /// Sends one message.
    pub(super) async fn send(&mut self, message: &impl Serialize) -> io::Result<()> {
        self.send_frame(&encode(message)?).await
    }

    /// Sends an encoded frame.
    pub(super) async fn send_frame(&mut self, frame: &[u8]) -> io::Result<()> {
        self.stdin.write_all(frame).await?;
        self.stdin.flush().await
    }

    /// The next message; none when the process closed its pipe. Cancel-safe.
    pub(super) async fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        loop {
            if let Some(header) = self.buffer.first_chunk::<4>() {
                let end = 4 + frame_length(*header)?;
                if self.buffer.len() >= end {
                    let message = decode(&self.buffer[4..end])?;
                    self.buffer.drain(..end);
                    return Ok(Some(message));
                }
            }
            if self.stdout.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// The process id, while it runs.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Whether the process has not ended yet.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the process and waits until it is gone.
    pub(super) async fn kill(mut self) {
        // An error means that it is gone already.
        let _ = self.child.kill().await;
    }
}
