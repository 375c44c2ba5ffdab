//! `lmthing run FILE --on URL` (docs/map.md, "On a server"): the input is read and checked here, the file is run by a worker, and
//! what that reports is shown as if it had been run here. Must not know how a run works.

mod report;
mod typed;
mod watch;

use std::{cell::RefCell, rc::Rc};

use serde_json::{Map, Value};

use super::{prompt_file::check_file, run::in_event_loop};
use crate::{
    cli::{
        ExitCode, Printer,
        approvals::waiting::word,
        args::RunArgs,
        env,
        failure::{Ending, WrongUsage},
        format::Format,
        interrupt::Interrupts,
        remote_args::check_elsewhere,
    },
    diagnostic::Diagnostic,
    event::Summary,
    provider::Redactor,
    remote::{Address, Ended, Remote},
    script::bindings::TypedInput,
};
use typed::read;
use watch::Watch;

/// Has the file run at a server, and shows what comes of it.
pub(in crate::cli) fn run(args: &RunArgs, on: &Address, printer: &Printer) -> ExitCode {
    in_event_loop(run_there(args, on, printer), printer)
}

/// What is run, where.
struct Order<'a> {
    args: &'a RunArgs,
    on: &'a Address,
    service: String,
    key: String,
    variables: Vec<(String, String)>,
    /// What the server calls it, once it has it.
    invocation: RefCell<Option<String>>,
}

async fn run_there(args: &RunArgs, on: &Address, printer: &Printer) -> ExitCode {
    let mut interrupts = Interrupts::listen();
    let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.setup.env_file);
    let redactor = Redactor::of_variables(environment.variables.iter().map(|(name, value)| (name, value)));
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
            end = order.run(printer, &redactor) => end,
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
                report::print(&Summary::with_text().to_json(&ending.to_event()), printer);
            }
            ending.code
        }
    }
}

/// Looks for options that say how a file is run here.
fn check(args: &RunArgs) -> Result<(), WrongUsage> {
    let limits = args.limits.words();
    let limit = limits.first().and_then(|word| word.split('=').next()).unwrap_or_default();
    check_elsewhere(args.setup.elsewhere().into_iter().chain(args.approvals.elsewhere()).chain([
        (args.permissions.is_restricted(), "--restrict"),
        (!limits.is_empty(), limit),
        (args.journal.is_some(), "--journal"),
    ]))?;
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

impl Order<'_> {
    async fn run(&self, printer: &Printer, redactor: &Redactor) -> Result<ExitCode, Ending> {
        let input = match read(self.args, &self.variables, redactor, printer).await? {
            TypedInput::Help(text) => {
                match self.args.show.format {
                    Format::Text => printer.script_stdout(&text),
                    Format::Json | Format::Events => printer.stderr(&text),
                }
                return Ok(ExitCode::Done);
            }
            TypedInput::Nothing => Map::new(),
            TypedInput::Input(input) => input,
        };
        let input = Value::Object(input);
        let remote = Rc::new(Remote::new(self.on, &self.variables).map_err(Ending::of_server)?);
        let watch = Watch::new(self, remote.clone(), printer);
        let ended = tokio::select! {
            ended = self.submit(&remote, &input, printer) => ended,
            () = watch.show() => unreachable!("watching never ends by itself"),
        };
        watch.clear();
        match ended? {
            Ended::Answer(report) => {
                report::show(report, self.args.show, printer, &self.service).map_err(|ending| *ending)
            }
            Ended::Failed(status, message) => Err(self.failed(status, &message)),
            Ended::Gone => {
                let message = "the server does not know the run any more: its results are kept for a day";
                Err(Ending::of_run_there(ExitCode::File, Diagnostic::new(message)))
            }
        }
    }

    async fn submit(&self, remote: &Remote, input: &Value, printer: &Printer) -> Result<Ended, Ending> {
        let submitted = remote.submit(&self.service, &self.key, input).await.map_err(Ending::of_server)?;
        let invocation = submitted.invocation;
        self.invocation.replace(Some(invocation.clone()));
        if self.args.show.verbose || submitted.is_earlier && !self.args.show.quiet {
            let earlier = if submitted.is_earlier { "the server has it from an earlier command: " } else { "" };
            printer.stderr_dim(&format!("{earlier}run {invocation}, key {}", self.key));
        }
        remote.wait(&invocation).await.map_err(|error| {
            printer.stderr(&self.goes_on());
            Ending::of_server(error)
        })
    }

    fn failed(&self, status: u16, message: &str) -> Ending {
        let is_cancelled = status == 409 && message.eq_ignore_ascii_case("cancelled");
        let message = match is_cancelled {
            true => "the run was cancelled at the server".to_owned(),
            false => format!("the run failed at the server (status {status}): {message}"),
        };
        Ending::of_run_there(ExitCode::File, Diagnostic::new(message))
    }

    /// What becomes of a run that is not waited for.
    fn goes_on(&self) -> String {
        let again = format!("  to wait for it again: {}\n", self.command());
        match &*self.invocation.borrow() {
            Some(invocation) => format!(
                "The run goes on at the server as {invocation}.\n{again}  to cancel it: curl -X PATCH {}/invocations/{invocation}/cancel\n",
                self.on.admin()
            ),
            None => format!("The run may have been submitted.\n{again}"),
        }
    }

    /// The command that waits for the same run.
    fn command(&self) -> String {
        let mut words = vec!["lmthing".to_owned(), "run".to_owned()];
        words.extend(self.args.remote.words());
        words.extend(["--key".to_owned(), self.key.clone()]);
        words.extend(self.args.input.iter().flat_map(|input| ["--input".to_owned(), input.clone()]));
        words.push(self.args.file().display().to_string());
        words.extend(self.args.words().unwrap_or_default());
        words.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ")
    }
}
