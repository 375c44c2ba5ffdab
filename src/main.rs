//! The binary: the only place that ends the process.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(lmthing::cli::run(std::env::args_os()))
}
