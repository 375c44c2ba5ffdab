//! A process that we have started: what it prints, how it ends, and ending it. Must not know what it does.

use std::{io, process::ExitStatus, time::Duration};

use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use super::told::Told;
use crate::process::{SIGTERM, end_process, send_signal};

/// How long one that is told to end has for that: longer than a run gives itself for its last words.
const FAREWELL: Duration = Duration::from_secs(3);

/// A longer line of standard error is told in pieces.
const MAX_LINE: u64 = 16 << 10;

/// A process of ours, which leads a group. Dropping it tells it to end.
#[derive(Debug)]
pub(super) struct OwnChild {
    child: Child,
    /// Its number, and that of its group, until the group is gone.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl OwnChild {
    /// Starts it.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        command.spawn().map(|child| OwnChild {
            #[cfg(unix)]
            group: child.id().and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed())),
            child,
        })
    }

    /// Its ends of pipes, as far as they are there.
    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
    }

    /// Waits until it has ended. What it has started and left ends then, too.
    pub(super) async fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.wait().await.ok();
        self.end_group();
        status
    }

    /// Tells it to end, and kills it, with what it has started, when it does not.
    pub(super) async fn end(&mut self) {
        end_process(&mut self.child, SIGTERM, FAREWELL).await;
        self.end_group();
    }

    /// Kills what is left of its group, once: later the number may be another's.
    fn end_group(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group.take() {
            // Most of the time nobody is left.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for OwnChild {
    fn drop(&mut self) {
        send_signal(&mut self.child, SIGTERM);
    }
}

/// How a process ended that should have said something first.
pub(super) fn ending(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "its process is lost".to_owned() };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return match signal_name(signal) {
            Some(name) => format!("its process was ended by {name}"),
            None => format!("its process was ended by signal {signal}"),
        };
    }
    match status.code() {
        Some(code) => format!("its process ended with code {code}"),
        None => "its process was killed".to_owned(),
    }
}

#[cfg(unix)]
fn signal_name(signal: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    let known = [
        (Signal::ABORT, "SIGABRT (it crashed)"),
        (Signal::BUS, "SIGBUS (it crashed)"),
        (Signal::FPE, "SIGFPE (it crashed)"),
        (Signal::ILL, "SIGILL (it crashed)"),
        (Signal::SEGV, "SIGSEGV (it crashed)"),
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::KILL, "SIGKILL (was there too little memory?)"),
        (Signal::TERM, "SIGTERM"),
    ];
    known.iter().find(|(known, _)| known.as_raw() == signal).map(|(_, name)| *name)
}

/// Tells what comes through standard error, each line with the name of whom it is from.
pub(super) async fn tell_lines(name: String, stderr: ChildStderr, told: Told) {
    let mut lines = BufReader::new(stderr);
    while let Some(line) = next_line(&mut lines).await {
        told.tell_patiently(format!("[{name}] {line}").trim_end().to_owned()).await;
    }
}

async fn next_line(from: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut line = Vec::new();
    let count = from.take(MAX_LINE).read_until(b'\n', &mut line).await.ok()?;
    (count > 0).then(|| String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())
}
