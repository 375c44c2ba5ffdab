//! The binary: the only place that ends the process.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Ends the process from a thread of its own, so that not even a script in an endless loop can delay it.
    #[expect(clippy::exit, reason = "main.rs is the one place that may")]
    lmthing::cli::on_interrupt(|code| std::process::exit(code.into()));
    ExitCode::from(lmthing::cli::run(std::env::args_os()))
}
