//! Starting a server that is a program, and ending it. On Unix a small process of ours stands between ([`super::keeper`]), which
//! ends the server and what that has started whatever becomes of us. Must not know what is said to the server.

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

use super::{server::Program, surroundings::Surroundings};
use crate::{
    diagnostic::plain,
    process::{TERMINATE, end},
};

/// What a program needs to start and to find its files, on any machine. Nothing else of ours is handed on: keys least of all.
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

/// Lines of standard error that are kept to explain an end.
const LINES_KEPT: usize = 8;

/// The longest of them.
const LINE_KEPT: usize = 400;

/// How long an orderly end may take, beyond what the keeper grants.
const END: Duration = Duration::from_millis(1500);

/// The last that a server wrote to its standard error.
#[derive(Clone, Default)]
pub(super) struct LastWords(Arc<Mutex<VecDeque<String>>>);

impl LastWords {
    fn add(&self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        let line: String = plain(line.trim_end()).chars().take(LINE_KEPT).collect();
        if line.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// All of it, if there is any.
    pub(super) fn text(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (!lines.is_empty()).then(|| lines.iter().cloned().collect::<Vec<_>>().join("\n"))
    }
}

/// A server that runs.
pub(super) struct Running {
    child: Child,
    pub(super) last_words: LastWords,
    /// Reads its last words.
    listening: JoinHandle<()>,
}

/// Starts a server; gives its ends of the pipes as well.
///
/// # Errors
/// It cannot be started.
pub(super) fn start(surroundings: &Surroundings, program: &Program) -> io::Result<(Running, ChildStdout, ChildStdin)> {
    let mut command = command(surroundings, program)?;
    command.env_clear();
    for name in VARIABLES {
        if let Some(value) = (surroundings.variable)(name) {
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
    let last_words = LastWords::default();
    let listening = tokio::spawn(listen(stderr, last_words.clone()));
    Ok((Running { child, last_words, listening }, stdout, stdin))
}

#[cfg(unix)]
fn command(surroundings: &Surroundings, program: &Program) -> io::Result<Command> {
    let mut command = Command::new(&surroundings.keeper);
    // The keeper has to see what the server has started: it is the server alone that has less rights.
    let rights = super::keeper::packed(&(surroundings.rights)())?;
    command.arg(super::keeper::SUBCOMMAND).arg(rights).arg(&program.command).args(&program.args);
    // Ctrl-C is for us; a server ends when we do.
    command.process_group(0);
    Ok(command)
}

#[cfg(not(unix))]
fn command(_: &Surroundings, program: &Program) -> io::Result<Command> {
    let mut command = Command::new(&program.command);
    command.args(&program.args);
    Ok(command)
}

async fn listen(stderr: ChildStderr, last_words: LastWords) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        // A line without an end must not fill the memory.
        match (&mut reader).take(64 * 1024).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => last_words.add(&line),
        }
    }
}

impl Running {
    /// How it ended, when it does so soon.
    pub(super) async fn ended_soon(&mut self) -> Option<ExitStatus> {
        const SOON: Duration = Duration::from_millis(500);
        let status = tokio::time::timeout(SOON, self.child.wait()).await.ok()?.ok();
        // What it wrote last may still be on its way, unless somebody it has started holds the pipe.
        let _ = tokio::time::timeout(SOON, &mut self.listening).await;
        status
    }

    /// Ends it. It does so by itself once its input is closed, if that could be done.
    pub(super) async fn end(mut self, is_input_closed: bool) {
        if !is_input_closed || tokio::time::timeout(END, self.child.wait()).await.is_err() {
            // The keeper ends whatever there is left when it is asked to.
            end(&mut self.child, TERMINATE, END).await;
        }
    }
}
