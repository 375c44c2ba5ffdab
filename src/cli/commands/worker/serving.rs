//! From arguments to a worker, and to its end: the first signal asks it to finish, the second ends it. Must not know Restate.

use std::{pin::pin, sync::Arc};

use tokio::sync::watch;

use super::options::{Options, serve_options};
use crate::{
    cli::{
        ExitCode, Printer, commands::run::in_event_loop, failure::WrongUsage, interrupt::Interrupts, teller::Teller,
        worker_args::{LogForm, WorkerArgs},
    },
    diagnostic::Diagnostic,
    serve::{Offer, Told, service_name, survey},
    worker::{Invocations, Level, Listener, Log, LogFormat, Service, Worker},
};

/// Serves until a signal comes, and until everything under way is given back then.
pub(in crate::cli) fn run(args: &WorkerArgs, printer: &Printer) -> ExitCode {
    in_event_loop(serve(args, printer), printer)
}

async fn serve(args: &WorkerArgs, printer: &Printer) -> ExitCode {
    // Before anything else: from now on there is something to end.
    let mut interrupts = Interrupts::listen();
    let teller = Teller::start();
    let log = log(args, teller.told.clone(), printer);
    let ended = tokio::select! {
        biased;
        signal = interrupts.next() => Ok(ExitCode::Interrupted(signal)),
        ready = Ready::of(args, &log) => match ready {
            Ok(ready) => {
                let ended = ready.serve(args, &log, &mut interrupts).await;
                ended
            }
            Err(failed) => Err(failed),
        },
    };
    interrupts.disregard();
    let is_heard = teller.end().await;
    ended.unwrap_or_else(|Failed { code, problem }| {
        if is_heard {
            printer.diagnostic(&problem);
        }
        code
    })
}

fn log(args: &WorkerArgs, told: Told, printer: &Printer) -> Log {
    let format = match args.log {
        LogForm::Text => LogFormat::Text { has_colours: printer.stderr_has_colours() },
        LogForm::Json => LogFormat::Json,
    };
    Log::new(told, format, if args.quiet { Level::Warn } else { Level::Info })
}

/// Why nothing is served.
struct Failed {
    code: ExitCode,
    problem: Box<Diagnostic>,
}

impl From<WrongUsage> for Failed {
    fn from(wrong: WrongUsage) -> Self {
        Failed { code: ExitCode::Usage, problem: Box::new(wrong.into()) }
    }
}

impl From<Box<Diagnostic>> for Failed {
    fn from(problem: Box<Diagnostic>) -> Self {
        Failed { code: ExitCode::File, problem }
    }
}

/// What is there before anybody calls.
struct Ready {
    options: Options,
    services: Vec<Arc<Service>>,
    listener: Listener,
}
