//! Child processes that lead a process group.

use std::{io, process::ExitStatus, time::Duration};

use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use super::line_channel::LineSender;
use lmthing_system::process::{SIGTERM, end_process, send_signal};

/// How long a process may take to end before it is killed. A run needs less for its final report.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// Longer lines of standard error are split.
const MAX_LINE: u64 = 16 << 10;

/// A child process with its group. Dropping it asks the process to end.
#[derive(Debug)]
pub(super) struct ChildGroup {
    child: Child,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl ChildGroup {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        command.spawn().map(|child| ChildGroup {
            #[cfg(unix)]
            group: child.id().and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed())),
            child,
        })
    }

    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
    }

    /// Waits for the end of the process, then kills the rest of its group.
    pub(super) async fn wait(&mut self) -> Option<ExitStatus> {
        let status = self.child.wait().await.ok();
        self.end_group();
        status
    }

    /// Asks the process to end and kills its group if it does not.
    pub(super) async fn end_process(&mut self) {
        end_process(&mut self.child, SIGTERM, END_TIMEOUT).await;
        self.end_group();
    }

    fn end_group(&mut self) {
        // Taken, as the id may be reused after the group has ended.
        #[cfg(unix)]
        if let Some(group) = self.group.take() {
            // Fails if the group is empty.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for ChildGroup {
    fn drop(&mut self) {
        send_signal(&mut self.child, SIGTERM);
    }
}

pub(super) fn exit_description(status: Option<ExitStatus>) -> String {
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

pub(super) async fn forward_stderr(name: String, stderr: ChildStderr, log: LineSender) {
    let mut lines = BufReader::new(stderr);
    while let Some(line) = next_line(&mut lines).await {
        log.send_waiting(format!("[{name}] {line}").trim_end().to_owned()).await;
    }
}

async fn next_line(from: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut line = Vec::new();
    let count = from.take(MAX_LINE).read_until(b'\n', &mut line).await.ok()?;
    (count > 0).then(|| String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())
}
