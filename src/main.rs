//! The binary. Only this file ends the process.

use std::process::ExitCode;

#[cfg(unix)]
use lmthing::mcp;
use lmthing::{cli, sandbox};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    if first.as_ref().is_some_and(|first| first == sandbox::WORKER_SUBCOMMAND) {
        return sandbox::worker::main(arguments.map(|argument| argument.to_string_lossy().into_owned()));
    }
    #[cfg(unix)]
    if first.is_some_and(|first| first == mcp::supervisor::SUBCOMMAND) {
        return mcp::supervisor::main(arguments);
    }
    // On a thread of its own: a script in an endless loop must not delay it.
    cli::on_interrupt(|code| std::process::exit(code.into()));
    cli::run(std::env::args_os()).into()
}
