//! The binary: the only place that ends the process.

use std::process::ExitCode;

use lmthing::{cli, sandbox};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == sandbox::WORKER_SUBCOMMAND) {
        return sandbox::worker::main(arguments.map(|argument| argument.to_string_lossy().into_owned()));
    }
    // Ends the process from a thread of its own, so that not even a script in an endless loop can delay it.
    cli::on_interrupt(|code| std::process::exit(code.into()));
    cli::run(std::env::args_os()).into()
}
