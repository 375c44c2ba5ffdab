//! The worker process: gives up its rights, then checks and runs what the host sends.
//!
//! The main thread reads frames and ends the process when the host closes the pipe; the engine thread parses, checks
//! and runs. Only the checker's parsed library is kept between runs.

mod bridge;
mod bytecode;
mod clock;
mod code_run;
mod confine;
mod data;
mod emit;
mod engine;
mod intrinsics;
mod json_writer;
mod no_modules;
mod thrown;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::mpsc::{Receiver, Sender, channel},
};

use super::protocol::{FromWorker, RunRequest, ToWorker, read_frame};
use crate::code::{Checker, Prepared, prepare, spawn_checker_thread};
use emit::emit;
use engine::Engines;

const DEFAULT_MEMORY: usize = 64 * 1024 * 1024;

/// Returns when the host closes the pipe. `arguments` follow the subcommand: the limit of JavaScript memory in bytes.
pub fn main(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    // Panics are reported over the pipe; the default hook would read symbols from disk.
    std::panic::set_hook(Box::new(|_| {}));
    let memory_bytes = arguments.into_iter().next().and_then(|bytes| bytes.parse().ok()).unwrap_or(DEFAULT_MEMORY);
    let mut missing = confine::before_threads(memory_bytes);
    let (sender, receiver) = channel();
    if spawn_checker_thread(move || serve(&receiver)).is_err() {
        return ExitCode::FAILURE;
    }
    // After the threads have started, because the filter of system calls forbids that.
    missing.extend(confine::all_threads());
    if emit(&FromWorker::Ready { confinement: missing }).is_err() {
        return ExitCode::FAILURE;
    }
    read_until_closed(&sender)
}

fn read_until_closed(sender: &Sender<ToWorker>) -> ExitCode {
    let mut stdin = io::stdin().lock();
    loop {
        match read_frame(&mut stdin) {
            Ok(Some(message)) => {
                if sender.send(message).is_err() {
                    return ExitCode::FAILURE;
                }
            }
            Ok(None) => return ExitCode::SUCCESS,
            Err(_) => return ExitCode::FAILURE,
        }
    }
}

fn serve(receiver: &Receiver<ToWorker>) {
    let mut checker = Some(Checker::new());
    let mut engines = Engines::new().ok();
    while let Ok(message) = receiver.recv() {
        match message {
            ToWorker::Warm { declarations } => warm(&mut checker, &declarations),
            ToWorker::Run(request) => {
                let ready = engines.take().map_or_else(Engines::new, Ok);
                let ran = catch_unwind(AssertUnwindSafe(|| run(&mut checker, ready, &request, receiver)));
                let ran = ran.unwrap_or_else(|_| {
                    // The state of the checker is unknown after a panic.
                    checker = None;
                    emit(&failed("The sandbox failed while it ran the code"))
                });
                if ran.is_err() {
                    return;
                }
                // Created in advance for the next run.
                engines = Engines::new().ok();
            }
            // A late reply to a call of an earlier run.
            ToWorker::Reply { .. } => {}
        }
    }
}

fn warm(checker: &mut Option<Checker>, declarations: &str) {
    let mut current = checker.take().unwrap_or_default();
    // The next check reports the failure.
    if catch_unwind(AssertUnwindSafe(|| current.warm(declarations).is_ok())).is_ok() {
        *checker = Some(current);
    }
}

fn failed(error: &str) -> FromWorker {
    FromWorker::Failed { error: error.to_owned(), message: error.to_owned() }
}

/// Runs one request and sends all of its frames.
fn run(
    checker: &mut Option<Checker>,
    engines: rquickjs::Result<Engines>,
    request: &RunRequest,
    receiver: &Receiver<ToWorker>,
) -> io::Result<()> {
    emit(&FromWorker::Checking)?;
    let Prepared { javascript, lines, warnings, notice } =
        match prepare(checker, &request.code, &request.declarations, request.mode) {
            Ok(prepared) => prepared,
            Err(refused) => return emit(&FromWorker::Refused { errors: refused.errors, notice: refused.notice }),
        };
    let Ok(engines) = engines else { return emit(&failed("The sandbox has no memory left for an engine")) };
    let bytecode = match engines.compile(&javascript, &lines, &request.code) {
        Ok(bytecode) => bytecode,
        Err(error) => return emit(&FromWorker::Refused { errors: vec![error], notice }),
    };
    emit(&FromWorker::Started { warnings, notice })?;
    engines.execute(&bytecode, &lines, request, receiver)
}
