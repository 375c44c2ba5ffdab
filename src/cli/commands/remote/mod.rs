//! `lmthing run FILE --on URL` (docs/map.md, "On a server"): the input is read and checked here, the file is run by a worker, and
//! what that reports is shown as if it had been run here. Must not know how a run works.

mod order;
mod report;
mod typed;
mod watch;

use std::{cell::RefCell, rc::Rc};

use serde_json::{Map, Value};

use super::{event_loop::in_event_loop, prompt_file::check_file};
use crate::{
    cli::{
        ExitCode, Printer,
        args::RunArgs,
        env,
        failure::{Ending, WrongUsage},
        format::Format,
        interrupt::Interrupts,
        remote_args::check_elsewhere,
    },
    diagnostic::Diagnostic,
    event::RunSummary,
    provider::Redactor,
    remote::{Address, Ended, Remote},
    script::bindings::TypedInput,
};
use order::Order;
use typed::read;
use watch::Watch;

/// Has the file run at a server, and shows what comes of it.
pub(in crate::cli) fn run(args: &RunArgs, on: &Address, printer: &Printer) -> ExitCode {
    in_event_loop(run_there(args, on, printer), printer)
}

async fn run_there(args: &RunArgs, on: &Address, printer: &Printer) -> ExitCode {
    let mut interrupts = Interrupts::listen();
    let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.setup.env_file);
    let redactor = Redactor::of_variables(environment.variables.iter().map(|(name, value)| (name, value)));
    printer.keep_secret(&redactor);
    if !args.show.quiet {
        environment.problems.iter().for_each(|problem| printer.stderr(&format!("Warning: {problem}\n")));
    }
    let order = Order {
        args,
        on,
        service: args.remote.service(args.file()),
        key: args.key.clone().unwrap_or_else(fresh_key),
        variables: environment.variables,
        invocation: RefCell::default(),
    };
    let checked = match environment.wrong {
        Some(wrong) => Err(wrong.into()),
        None => check(args).map_err(anyhow::Error::from).and_then(|()| check_file(args.file())),
    };
    let end = match checked {
        Ok(()) => tokio::select! {
            biased;
            () = printer.closed() => Err(Ending::unread()),
            signal = interrupts.next() => {
                printer.stderr(&order.goes_on());
                Err(Ending::interrupted(signal))
            }
            end = run_order(&order, printer, &redactor) => end,
            () = printer.flush_when_idle() => unreachable!("writing never ends by itself"),
        },
        Err(error) => Err(Ending::not_begun(error, &redactor)),
    };
    interrupts.disregard();
    match end {
        Ok(code) => code,
        Err(ending) => {
            ending.diagnostic.iter().for_each(|problem| printer.diagnostic(problem));
            if args.show.format == Format::Json && !ending.is_unread {
                report::print(&RunSummary::with_text().to_json(&ending.to_event()), printer);
            }
            ending.code
        }
    }
}

/// Looks for options that say how a file is run here.
fn check(args: &RunArgs) -> Result<(), WrongUsage> {
    let limits = args.limits.words();
    let limit = limits.first().and_then(|word| word.split('=').next()).unwrap_or_default();
    check_elsewhere(
        args.setup
            .elsewhere()
            .into_iter()
            .chain(args.approvals.elsewhere())
            .chain([(!limits.is_empty(), limit), (args.journal.is_some(), "--journal")]),
    )?;
    let not_there = [(args.watch, "--watch"), (args.record.is_some(), "--record"), (args.replay.is_some(), "--replay")];
    if let Some((_, option)) = not_there.into_iter().find(|(is_given, _)| *is_given) {
        let hint = "leave one of them out: the file is run by lmthing worker";
        return Err(WrongUsage::new(format!("{option} cannot be used with --on"), hint));
    }
    if args.show.format == Format::Events {
        let hint = "take -f json: what happens in a run is told where it runs, by lmthing worker";
        return Err(WrongUsage::new("-f events cannot be used with --on", hint));
    }
    Ok(())
}

/// A key that nobody else has.
fn fresh_key() -> String {
    let mut random = [0_u8; 16];
    if getrandom::fill(&mut random).is_err() {
        random.fill_with(|| fastrand::u8(..));
    }
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Has it run.
async fn run_order(order: &Order<'_>, printer: &Printer, redactor: &Redactor) -> Result<ExitCode, Ending> {
    let input = match read(order.args, &order.variables, redactor, printer).await? {
        TypedInput::Help(text) => {
            match order.args.show.format {
                Format::Text => printer.script_stdout(&text),
                Format::Json | Format::Events => printer.stderr(&text),
            }
            return Ok(ExitCode::Done);
        }
        TypedInput::Nothing => Map::new(),
        TypedInput::Input(input) => input,
    };
    let input = Value::Object(input);
    let remote = Rc::new(Remote::new(order.on, &order.variables).map_err(Ending::of_server)?);
    let watch = Watch::new(order, remote.clone(), printer);
    let ended = tokio::select! {
        ended = submit(order, &remote, &input, printer) => ended,
        () = watch.show() => unreachable!("watching never ends by itself"),
    };
    watch.clear();
    match ended? {
        Ended::Answer(report) => {
            report::show(report, order.args.show, printer, &order.service).map_err(|ending| *ending)
        }
        Ended::Failed(status, message) => Err(failed(status, &message)),
        Ended::Gone => {
            let message = "the server does not know the run any more: its results are kept for a day";
            Err(Ending::of_run_there(ExitCode::File, Diagnostic::new(message)))
        }
    }
}

/// Submits it, and waits for what comes of it.
async fn submit(order: &Order<'_>, remote: &Remote, input: &Value, printer: &Printer) -> Result<Ended, Ending> {
    let submitted = remote.submit(&order.service, &order.key, input).await.map_err(Ending::of_server)?;
    let invocation = submitted.invocation;
    order.invocation.replace(Some(invocation.clone()));
    if order.args.show.verbose || submitted.is_earlier && !order.args.show.quiet {
        let earlier = if submitted.is_earlier { "the server has it from an earlier command: " } else { "" };
        printer.stderr_dim(&format!("{earlier}run {invocation}, key {}", order.key));
    }
    remote.wait(&invocation).await.map_err(|error| {
        printer.stderr(&order.goes_on());
        Ending::of_server(error)
    })
}

/// A run without a report.
fn failed(status: u16, message: &str) -> Ending {
    let is_cancelled = status == 409 && message.eq_ignore_ascii_case("cancelled");
    let message = match is_cancelled {
        true => "the run was cancelled at the server".to_owned(),
        false => format!("the run failed at the server (status {status}): {message}"),
    };
    Ending::of_run_there(ExitCode::File, Diagnostic::new(message))
}
