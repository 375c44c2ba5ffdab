//! The command line: arguments, settings, the printer, one file per command.
//!
//! Owns: what was typed, what is shown where, and which exit code an outcome has (SPEC 1). Only [`Printer`] writes to
//! stdout and stderr. Must not know: JavaScript, wire formats, how a run works.

mod args;
mod commands;
mod env;
mod interrupt;
mod printer;
mod progress;

use std::ffi::OsString;

use clap::Parser;

use args::{Cli, Command};
pub use interrupt::on_interrupt;
pub use printer::Printer;

use crate::{diagnostic::Diagnostic, script::THREAD_STACK_SIZE};

/// Exit codes (SPEC 1).
pub mod exit {
    /// Done.
    pub const DONE: u8 = 0;
    /// The file is missing, wrong or its code threw.
    pub const FILE: u8 = 1;
    /// Wrong usage.
    pub const USAGE: u8 = 2;
    /// The model or provider failed.
    pub const MODEL: u8 = 3;
    /// A limit ended the run.
    pub const LIMIT: u8 = 4;
    /// Interrupted.
    pub const INTERRUPTED: u8 = 130;
}

/// Runs the command that was typed and returns the exit code of the process.
///
/// Everything happens on one thread with a stack deep enough for scripts.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let thread = std::thread::Builder::new().name("lmthing".into()).stack_size(THREAD_STACK_SIZE);
    match thread.spawn(|| run_command(arguments)).map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The panic has printed what it was about.
        Ok(Err(_)) => exit::FILE,
        Err(error) => {
            Printer::new().diagnostic(&Diagnostic::new(format!("cannot start a thread: {error}")));
            exit::FILE
        }
    }
}

fn run_command(arguments: Vec<OsString>) -> u8 {
    let printer = Printer::new();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let is_error = error.use_stderr();
            let text = error.render();
            if is_error {
                printer.stderr_styled(&text)
            } else {
                printer.stdout_styled(&text)
            }
            return if is_error { exit::USAGE } else { exit::DONE };
        }
    };
    match cli.command {
        None => {
            printer.stdout_styled(&args::usage());
            exit::DONE
        }
        Some(Command::Run(run)) => commands::run::run(&run, &printer),
        Some(Command::Models(models)) => commands::models::run(&models, &printer),
    }
}
