//! The binary: the only place that ends the process.

use std::process::ExitCode;

use lmthing::cli;
#[cfg(unix)]
use lmthing_engine::mcp;
use lmthing_node::{Builtins, set_builtins};
use lmthing_typescript::sandbox;

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
    set_builtins(Builtins { names: &lmthing_runtime::NAMES, load: lmthing_runtime::load });
    lmthing_check::set_declarations(lmthing_runtime::DECLARATIONS);
    // Ends the process from a thread of its own, so that not even a script in an endless loop can delay it.
    cli::on_interrupt(|code| std::process::exit(code.into()));
    cli::run(std::env::args_os()).into()
}
