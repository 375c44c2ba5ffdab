//! What is served, and what every process that is started for it is given. Must not know what these processes do.

use std::{
    ffi::{OsStr, OsString},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
};

use tokio::process::Command;

use super::told::Told;
use crate::files::absolute;

/// So many processes of a kind may run at once in any case. Most of the time each waits, for a model or for its turn.
const MIN_AT_ONCE: usize = 8;

/// How prompt files are served.
#[derive(Clone, Debug)]
pub(crate) struct ServeOptions {
    /// The files and folders, as they were typed.
    pub(crate) paths: Vec<PathBuf>,
    /// lmthing itself.
    pub(crate) program: PathBuf,
    /// Options of `run` for every call.
    pub(crate) call: Vec<OsString>,
    /// Those among them that make a difference to what a file exports.
    pub(crate) describe: Vec<OsString>,
    /// Variables that no prompt file is to see.
    pub(crate) hidden_variables: Vec<String>,
    /// Whether prompt files are restricted: then they do not see them from `.env` either.
    pub(crate) is_restricted: bool,
    /// Hears, line by line, what there is to say for whoever looks at the server: files that do not load, what scripts print.
    pub(crate) told: Told,
}

impl ServeOptions {
    /// lmthing once more, with this subcommand and these words, for a file. It ends with us.
    pub(super) fn command<W: AsRef<OsStr>>(
        &self,
        subcommand: &str,
        words: impl IntoIterator<Item = W>,
        file: &Path,
    ) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(subcommand).args(words).arg(format!("--served-by={}", std::process::id()));
        // A name may begin with dashes.
        command.arg(absolute(file));
        for name in &self.hidden_variables {
            match self.is_restricted {
                // What is set, though empty, is not taken from a file.
                true => command.env(name, ""),
                false => command.env_remove(name),
            };
        }
        #[cfg(unix)]
        {
            // Ctrl-C in the terminal is for us: calls are ended by us.
            command.process_group(0);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// How many processes of a kind may run at once.
pub(super) fn at_once() -> usize {
    MIN_AT_ONCE.max(2 * thread::available_parallelism().map_or(1, NonZeroUsize::get))
}
