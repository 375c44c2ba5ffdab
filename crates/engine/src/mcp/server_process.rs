//! Starts and ends servers that are programs. On Unix a supervisor process ([`super::supervisor`]) ends the server and its child
//! processes, even if this process is killed.

use std::{
    collections::VecDeque,
    io,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
};

use super::{environment::McpEnvironment, server::Program};
use lmthing_base::diagnostic::strip_controls;
use lmthing_system::process::{SIGTERM, end_process};

/// The variables that programs usually need. No other variables are passed on, in particular no keys.
const VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "npm_config_cache",
    "npm_config_prefix",
    "npm_config_registry",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "PATHEXT",
    "COMSPEC",
    "PROGRAMFILES",
    "PROGRAMDATA",
];

/// How many lines of standard error are kept to explain a failure.
const STDERR_LINES: usize = 8;

const STDERR_LINE_LENGTH: usize = 400;

/// How long a server may take to end, in addition to the limits of the supervisor.
const END: Duration = Duration::from_millis(1500);

/// The last lines that a server wrote to standard error.
#[derive(Clone, Default)]
pub(super) struct RecentStderr(Arc<Mutex<VecDeque<String>>>);

impl RecentStderr {
    fn add(&self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        let line: String = strip_controls(line.trim_end()).chars().take(STDERR_LINE_LENGTH).collect();
        if line.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == STDERR_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    pub(super) fn text(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (!lines.is_empty()).then(|| lines.iter().cloned().collect::<Vec<_>>().join("\n"))
    }
}

pub(super) struct ServerProcess {
    child: Child,
    pub(super) recent_stderr: RecentStderr,
    stderr_reader: JoinHandle<()>,
}

pub(super) fn start(
    environment: &McpEnvironment,
    program: &Program,
) -> io::Result<(ServerProcess, ChildStdout, ChildStdin)> {
    let mut command = command(environment, program)?;
    command.env_clear();
    for name in VARIABLES {
        if let Some(value) = (environment.variable)(name) {
            command.env(name, value);
        }
    }
    command.envs(&program.env);
    if let Some(cwd) = &program.cwd {
        command.current_dir(cwd);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(cfg!(not(unix)));
    let mut child = command.spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { return Err(io::Error::other("it has no pipes")) };
    let recent_stderr = RecentStderr::default();
    let stderr_reader = tokio::spawn(read_stderr(stderr, recent_stderr.clone()));
    Ok((ServerProcess { child, recent_stderr, stderr_reader }, stdout, stdin))
}

#[cfg(unix)]
fn command(environment: &McpEnvironment, program: &Program) -> io::Result<Command> {
    let mut command = Command::new(&environment.supervisor);
    // The supervisor must see the server's child processes, so the rights apply to the server only.
    let rights = super::supervisor::encode_rights(&(environment.rights)())?;
    command.arg(super::supervisor::SUBCOMMAND).arg(rights).arg(&program.command).args(&program.args);
    // Ctrl-C is for this process; the server ends with it.
    command.process_group(0);
    Ok(command)
}

#[cfg(not(unix))]
fn command(_: &McpEnvironment, program: &Program) -> io::Result<Command> {
    let mut command = Command::new(&program.command);
    command.args(&program.args);
    Ok(command)
}

async fn read_stderr(stderr: ChildStderr, recent_stderr: RecentStderr) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        // A line without an end must not fill the memory.
        match (&mut reader).take(64 * 1024).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => recent_stderr.add(&line),
        }
    }
}

impl ServerProcess {
    pub(super) async fn ended_soon(&mut self) -> Option<ExitStatus> {
        const SOON: Duration = Duration::from_millis(500);
        let status = tokio::time::timeout(SOON, self.child.wait()).await.ok()?.ok();
        // Waits for the last output, unless a child process still holds the pipe.
        let _ = tokio::time::timeout(SOON, &mut self.stderr_reader).await;
        status
    }

    /// Ends the server, which ends by itself once its input is closed, if that succeeded.
    pub(super) async fn end(mut self, is_input_closed: bool) {
        if !is_input_closed || tokio::time::timeout(END, self.child.wait()).await.is_err() {
            // The supervisor ends all remaining processes on this signal.
            end_process(&mut self.child, SIGTERM, END).await;
        }
    }
}
