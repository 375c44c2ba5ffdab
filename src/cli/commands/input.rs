//! What is typed for a prompt file, and where the texts are that it names (docs/reference.md, "Input"). Must not know what
//! it means.

use std::{
    io::{self, IsTerminal, Read},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    cli::{
        args::{RunArgs, run_options},
        failure::words,
        near::did_you_mean,
    },
    input::{CommandLine, Sources},
};

/// What was typed for the file of `run`.
pub(super) fn command_line(args: &RunArgs) -> CommandLine {
    CommandLine {
        command: format!("lmthing run {}", args.file().display()),
        words: args.words(),
        whole: args.input.clone(),
        own_options: run_options,
        sources: process_sources(),
    }
}

/// Files and standard input of this process.
pub(super) fn process_sources() -> Arc<dyn Sources> {
    Arc::new(Process)
}

/// Files and standard input of this process.
struct Process;

impl Sources for Process {
    fn file(&self, path: &str) -> Result<String, String> {
        text(std::fs::read(path)).map_err(|problem| {
            let path = Path::new(path);
            let meant = if path.exists() { None } else { did_you_mean(path, |_| true) };
            meant.map_or(problem.clone(), |meant| format!("{problem}. {meant}"))
        })
    }

    fn standard_input(&self) -> Result<String, String> {
        let mut bytes = Vec::new();
        text(io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    }

    fn is_terminal(&self) -> bool {
        io::stdin().is_terminal()
    }
}

/// The same for several files at once, which all get what comes through standard input.
pub(super) fn shared_sources() -> Arc<dyn Sources> {
    Arc::new(Shared { standard_input: Mutex::new(None) })
}

/// [`Process`], with standard input read once.
struct Shared {
    standard_input: Mutex<Option<Result<String, String>>>,
}

impl Sources for Shared {
    fn file(&self, path: &str) -> Result<String, String> {
        Process.file(path)
    }

    fn standard_input(&self) -> Result<String, String> {
        let mut known = self.standard_input.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| Process.standard_input()).clone()
    }

    fn is_terminal(&self) -> bool {
        Process.is_terminal()
    }
}

fn text(bytes: io::Result<Vec<u8>>) -> Result<String, String> {
    let bytes = bytes.map_err(|error| words(&error))?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}
