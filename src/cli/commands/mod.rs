//! One file for each command: takes parsed arguments and returns an exit code.

pub(super) mod approve;
pub(super) mod ask;
mod batch_lines;
pub(super) mod chat;
pub(super) mod check;
pub(super) mod completions;
pub(super) mod describe;
pub(super) mod docs;
pub(super) mod eval;
pub(super) mod file_options;
mod input;
mod journal;
mod local_models;
pub(super) mod lsp;
pub(super) mod man;
pub(super) mod map;
pub(super) mod mcp;
mod mock_file;
pub(super) mod models;
pub(super) mod new;
mod new_files;
mod prices;
pub(super) mod prompt_file;
mod recording;
pub(super) mod remote;
mod restrict;
pub(super) mod resume;
mod rows_output;
pub(super) mod run;
pub(super) mod runs;
mod speaker;
pub(super) mod test;
pub(super) mod types;
pub(super) mod view;
mod watch;
mod watch_input;
pub(super) mod worker;

pub(super) use recording::RunRecording;

use crate::cli::{ExitCode, Printer};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_system::threads::EventLoop;

fn in_event_loop(run: impl Future<Output = ExitCode>, printer: &Printer) -> ExitCode {
    match EventLoop::new() {
        Ok(event_loop) => event_loop.run(run),
        Err(error) => {
            printer.diagnostic(&Diagnostic::new(format!("cannot start the event loop: {error}")));
            ExitCode::File
        }
    }
}
