//! The event loop of a command, on the thread that it runs on.

use crate::{
    cli::{ExitCode, Printer},
    diagnostic::Diagnostic,
};

/// Runs a command to its end.
pub(super) fn in_event_loop(run: impl Future<Output = ExitCode>, printer: &Printer) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            printer.diagnostic(&Diagnostic::new(format!("cannot start the event loop: {error}")));
            return ExitCode::File;
        }
    };
    let code = runtime.block_on(run);
    // Not to wait for a blocking call that nobody needs any more, such as a look-up of a name.
    runtime.shutdown_background();
    code
}
