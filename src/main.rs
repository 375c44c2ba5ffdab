use std::process::ExitCode;

use lmthing::sandbox;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(sandbox::WORKER_SUBCOMMAND) {
        return sandbox::worker::main(arguments);
    }
    ExitCode::SUCCESS
}
