//! Starts worker processes and talks to them over pipes.
//!
//! Each pipe has a thread. So a worker that does not read blocks nothing here, and the time at which a frame arrives
//! is known although host functions, which run on the thread of the event loop, may block that for long.

use std::{
    io::{self, PipeReader, PipeWriter, Write},
    path::{Path, PathBuf},
    process::Stdio,
    sync::mpsc as blocking,
    thread,
    time::Instant,
};

use tokio::{
    process::{Child, Command},
    sync::mpsc,
};

use super::protocol::{FromWorker, read_frame};

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

/// A frame, `None` at the end of the pipe, or an error for bytes that are not a frame.
#[derive(Debug)]
pub(super) struct Received {
    pub at: Instant,
    pub frame: io::Result<Option<FromWorker>>,
}

#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    to_worker: blocking::Sender<Vec<u8>>,
    /// Holds one frame, so that endless output fills no memory.
    from_worker: mpsc::Receiver<Received>,
    pub runs: u32,
}

impl Worker {
    /// Starts a process without environment, in the root folder, with only its two pipes open.
    pub(super) fn spawn(program: &Path, memory_bytes: usize) -> io::Result<Self> {
        close_inherited_files_on_exec();
        let (stdin, to_stdin) = io::pipe()?;
        let (from_stdout, stdout) = io::pipe()?;
        let mut command = Command::new(program);
        command.arg(WORKER_SUBCOMMAND).arg(memory_bytes.to_string());
        // The environment contains the providers' keys, which code that escapes must not find.
        command.env_clear().stdin(stdin).stdout(stdout).stderr(Stdio::null()).kill_on_drop(true);
        if cfg!(unix) {
            // Keeps no folder of the user busy.
            command.current_dir("/");
        }
        let child = command.spawn()?;
        // Closes this process's copies of the worker's ends; otherwise the pipes would never end.
        drop(command);
        let (to_worker, frames) = blocking::channel();
        let (received, from_worker) = mpsc::channel(1);
        thread::Builder::new().name("sandbox-writer".to_owned()).spawn(move || write(to_stdin, &frames))?;
        thread::Builder::new().name("sandbox-reader".to_owned()).spawn(move || read(from_stdout, &received))?;
        Ok(Self { child, to_worker, from_worker, runs: 0 })
    }

    /// Does not wait for the worker to read it, and fails silently if the worker has ended: [`Worker::receive`]
    /// reports that.
    pub(super) fn send(&self, frame: Vec<u8>) {
        let _ = self.to_worker.send(frame);
    }

    /// Cancel-safe.
    pub(super) async fn receive(&mut self) -> Received {
        self.from_worker.recv().await.unwrap_or_else(|| Received { at: Instant::now(), frame: Ok(None) })
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

/// Ends with the [`Worker`], whose end also ends a write that is not read.
fn write(mut stdin: PipeWriter, frames: &blocking::Receiver<Vec<u8>>) {
    while let Ok(frame) = frames.recv() {
        if stdin.write_all(&frame).is_err() {
            return;
        }
    }
}

fn read(mut stdout: PipeReader, received: &mpsc::Sender<Received>) {
    loop {
        let frame = read_frame(&mut stdout);
        let is_last = !matches!(frame, Ok(Some(_)));
        if received.blocking_send(Received { at: Instant::now(), frame }).is_err() || is_last {
            return;
        }
    }
}
