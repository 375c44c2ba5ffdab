//! The event loop of a command.

use crate::{
    cli::{ExitCode, Printer},
    diagnostic::Diagnostic,
};

pub(super) fn in_event_loop(run: impl Future<Output = ExitCode>, printer: &Printer) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            printer.diagnostic(&Diagnostic::new(format!("cannot start the event loop: {error}")));
            return ExitCode::File;
        }
    };
    let code = runtime.block_on(run);
    // Does not wait for blocking calls that are no longer needed, such as DNS lookups.
    runtime.shutdown_background();
    code
}
