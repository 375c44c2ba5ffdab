//! Options of serving prompt files, and the command lines of the processes for it.

use std::{
    ffi::{OsStr, OsString},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
};

use tokio::process::Command;

use super::line_channel::LineSender;
use lmthing_system::files::absolute;

/// Lower bound for `max_processes`. Most processes wait for a model.
const MIN_PROCESSES: usize = 8;

#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// As the user typed them.
    pub paths: Vec<PathBuf>,
    pub program: PathBuf,
    /// Options of `run` for every call.
    pub call: Vec<OsString>,
    /// Those of `call` that affect the exports of a file.
    pub describe: Vec<OsString>,
    /// Variables that scripts must not see.
    pub hidden_variables: Vec<String>,
    /// Whether prompt files are restricted. If so, hidden variables are also not read from `.env`.
    pub is_restricted: bool,
    /// Receives log lines: files that do not load, and what scripts print.
    pub log: LineSender,
}

impl ServeOptions {
    /// Builds a command that runs lmthing for a file. The child exits when this process does.
    pub(super) fn command<W: AsRef<OsStr>>(
        &self,
        subcommand: &str,
        arguments: impl IntoIterator<Item = W>,
        file: &Path,
    ) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(subcommand).args(arguments).arg(format!("--served-by={}", std::process::id()));
        // Absolute, so that a name with leading dashes is no option.
        command.arg(absolute(file));
        for name in &self.hidden_variables {
            match self.is_restricted {
                // A variable that is set, even to nothing, is not read from `.env`.
                true => command.env(name, ""),
                false => command.env_remove(name),
            };
        }
        #[cfg(unix)]
        {
            // Own group: Ctrl-C reaches only this process, which ends its calls.
            command.process_group(0);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

pub(super) fn max_processes() -> usize {
    MIN_PROCESSES.max(2 * thread::available_parallelism().map_or(1, NonZeroUsize::get))
}
