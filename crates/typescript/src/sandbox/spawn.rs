//! Starts worker processes and talks to them over pipes.

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

pub const WORKER_SUBCOMMAND: &str = "__sandbox-worker";

pub fn own_program() -> PathBuf {
    // This link stays valid when the file is replaced or removed.
    let link = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() {
        return link.to_owned();
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lmthing"))
}

/// The parent of this program may have leaked open files into it; a worker must not inherit them. Files opened by the
/// standard library are close-on-exec already.
fn close_inherited_files_on_exec() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| close_fds::set_fds_cloexec_threadsafe(3, &[]));
    }
}

#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// Bytes of an incomplete frame, which makes reading cancel-safe.
    buffer: Vec<u8>,
    pub runs: u32,
}

impl Worker {
    /// Starts a process without environment, in the root folder, with only its two pipes open.
    pub(super) fn spawn(program: &Path, memory_bytes: usize) -> io::Result<Self> {
        close_inherited_files_on_exec();
        let mut command = Command::new(program);
        command.arg(WORKER_SUBCOMMAND).arg(memory_bytes.to_string());
        // The environment contains the providers' keys, which code that escapes must not find.
        command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        if cfg!(unix) {
            // Keeps no folder of the user busy.
            command.current_dir("/");
        }
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the worker has no pipes"));
        };
        Ok(Self { child, stdin, stdout, buffer: Vec::new(), runs: 0 })
    }

    pub(super) async fn send(&mut self, message: &impl Serialize) -> io::Result<()> {
        self.send_frame(&encode(message)?).await
    }

    pub(super) async fn send_frame(&mut self, frame: &[u8]) -> io::Result<()> {
        self.stdin.write_all(frame).await?;
        self.stdin.flush().await
    }

    /// Returns `None` when the process has closed its pipe. Cancel-safe.
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

    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub(super) async fn kill(mut self) {
        // Fails only if the process has ended already.
        let _ = self.child.kill().await;
    }
}
