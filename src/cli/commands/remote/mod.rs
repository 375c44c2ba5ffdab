//! `lmthing run FILE --on URL` (docs/reference/remote.md): validates the input here, has a worker run the file, and
//! prints its report like that of a local run.

mod input;
mod remote_run;
mod report;
mod status;

use std::{cell::RefCell, rc::Rc};

use serde_json::{Map, Value};

use super::{in_event_loop, prompt_file::check_file};
use crate::cli::{
    ExitCode, Printer,
    args::RunArgs,
    env,
    failure::{Ending, WrongUsage},
    interrupt::Interrupts,
    remote_args::refuse_local_options,
    show_args::Format,
};
use input::read;
use lmthing_base::{diagnostic::Diagnostic, event::RunSummary};
use lmthing_engine::bindings::ParsedInput;
use lmthing_providers::Redactor;
use lmthing_system::remote::{Address, IngressClient, InvocationResult};
use remote_run::RemoteRun;
use status::RemoteStatus;

pub(in crate::cli) fn run(args: &RunArgs, on: &Address, printer: &Printer) -> ExitCode {
    in_event_loop(run_remote(args, on, printer), printer)
}

async fn run_remote(args: &RunArgs, on: &Address, printer: &Printer) -> ExitCode {
    let mut interrupts = Interrupts::listen();
    let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.setup.env_file);
    let redactor = Redactor::of_variables(environment.variables.iter().map(|(name, value)| (name, value)));
    printer.keep_secret(&redactor);
    if !args.show.quiet {
        environment.problems.iter().for_each(|problem| printer.stderr(&format!("Warning: {problem}\n")));
    }
    let remote_run = RemoteRun {
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
            () = printer.closed() => Err(Ending::output_closed()),
            signal = interrupts.next() => {
                printer.stderr(&remote_run.continuation_message());
                Err(Ending::interrupted(signal))
            }
            end = execute(&remote_run, printer, &redactor) => end,
            () = printer.flush_when_idle() => unreachable!("writing never ends by itself"),
        },
        Err(error) => Err(Ending::not_begun(error, &redactor)),
    };
    interrupts.ignore();
    match end {
        Ok(code) => code,
        Err(ending) => {
            ending.diagnostic.iter().for_each(|problem| printer.diagnostic(problem));
            if args.show.format == Format::Json && !ending.is_output_closed {
                report::print(&RunSummary::with_text().to_json(&ending.to_event()), printer);
            }
            ending.code
        }
    }
}

fn check(args: &RunArgs) -> Result<(), WrongUsage> {
    let limits = args.limits.words();
    let limit = limits.first().and_then(|word| word.split('=').next()).unwrap_or_default();
    refuse_local_options(
        args.setup
            .local_options()
            .into_iter()
            .chain(args.approvals.local_options())
            .chain([(!limits.is_empty(), limit), (args.journal.is_some(), "--journal")]),
    )?;
    let not_there = [
        (args.watch, "--watch"),
        (!args.say.say.is_empty(), "--say"),
        (args.record.is_some(), "--record"),
        (args.replay.is_some(), "--replay"),
    ];
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

fn fresh_key() -> String {
    let mut random = [0_u8; 16];
    if getrandom::fill(&mut random).is_err() {
        random.fill_with(|| fastrand::u8(..));
    }
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn execute(remote_run: &RemoteRun<'_>, printer: &Printer, redactor: &Redactor) -> Result<ExitCode, Ending> {
    let input = match read(remote_run.args, &remote_run.variables, redactor, printer).await? {
        ParsedInput::Help(text) => {
            match remote_run.args.show.format {
                Format::Text => printer.script_stdout(&text),
                Format::Json | Format::Events => printer.stderr(&text),
            }
            return Ok(ExitCode::Done);
        }
        ParsedInput::Nothing => Map::new(),
        ParsedInput::Input(input) => input,
    };
    let input = Value::Object(input);
    let remote = Rc::new(IngressClient::new(remote_run.on, &remote_run.variables).map_err(Ending::of_server)?);
    let status = RemoteStatus::new(remote_run, remote.clone(), printer);
    let ended = tokio::select! {
        ended = submit(remote_run, &remote, &input, printer) => ended,
        () = status.show() => unreachable!("watching never ends by itself"),
    };
    status.clear();
    match ended? {
        InvocationResult::Answer(report) => {
            report::show(report, remote_run.args.show, printer, &remote_run.service).map_err(|ending| *ending)
        }
        InvocationResult::Failed(status, message) => Err(failed(status, &message)),
        InvocationResult::Gone => {
            let message = "the server does not know the run any more: its results are kept for a day";
            Err(Ending::of_remote_run(ExitCode::File, Diagnostic::new(message)))
        }
    }
}

async fn submit(
    remote_run: &RemoteRun<'_>,
    remote: &IngressClient,
    input: &Value,
    printer: &Printer,
) -> Result<InvocationResult, Ending> {
    let submitted = remote.submit(&remote_run.service, &remote_run.key, input).await.map_err(Ending::of_server)?;
    let invocation = submitted.invocation;
    remote_run.invocation.replace(Some(invocation.clone()));
    if remote_run.args.show.verbose || submitted.is_earlier && !remote_run.args.show.quiet {
        let earlier = if submitted.is_earlier { "the server has it from an earlier command: " } else { "" };
        printer.stderr_dim(&format!("{earlier}run {invocation}, key {}", remote_run.key));
    }
    remote.wait(&invocation).await.map_err(|error| {
        printer.stderr(&remote_run.continuation_message());
        Ending::of_server(error)
    })
}

fn failed(status: u16, message: &str) -> Ending {
    let is_cancelled = status == 409 && message.eq_ignore_ascii_case("cancelled");
    let message = match is_cancelled {
        true => "the run was cancelled at the server".to_owned(),
        false => format!("the run failed at the server (status {status}): {message}"),
    };
    Ending::of_remote_run(ExitCode::File, Diagnostic::new(message))
}
