//! The command line: arguments, output, exit codes, one file for each command.
//!
//! Only [`Printer`] writes to stdout and stderr, and `screen` the progress line.

mod approval_args;
mod approvals;
mod approve_args;
mod args;
mod ask_args;
mod batch_args;
mod browser;
mod call_args;
mod chat_args;
mod check_args;
mod commands;
mod complete;
mod describe_args;
mod docs;
mod editor;
mod end_report;
mod env;
mod eval_args;
mod exit;
mod failure;
mod interrupt;
mod limit_args;
mod lsp_args;
mod map_args;
mod mcp_args;
mod pending;
mod permission_args;
mod pool_args;
mod printer;
mod progress;
mod readers;
mod remote_args;
mod resume_args;
mod resume_state;
mod runs_args;
mod say_args;
mod screen;
mod script_host;
mod setup_args;
mod show;
mod show_args;
mod small_args;
mod standard_streams;
mod status_line;
mod stderr_thread;
mod stream;
mod templates;
mod test_args;
mod usage_error;
mod view_args;
mod worker_args;

use std::ffi::OsString;

use args::Command;
pub use exit::ExitCode;
pub use interrupt::on_interrupt;
pub use printer::Printer;

use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::{self as script, THREAD_STACK_SIZE};
use lmthing_providers::Redactor;
use lmthing_system::process::exit_with_parent_of_variable;

/// Runs a command and returns the exit code. Everything happens on one thread with a stack deep enough for scripts.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    exit_with_parent_of_variable();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // The main thread's stack size depends on the system; the depth of scripts must not.
    let thread = std::thread::Builder::new().name("lmthing".into()).stack_size(THREAD_STACK_SIZE);
    let ended = thread.spawn(|| run_and_write(arguments)).map(std::thread::JoinHandle::join);
    script::restore_terminal();
    screen::end_pastes();
    script::end_children();
    match ended {
        Ok(Ok(code)) => code,
        // The panic handler has printed its message.
        Ok(Err(_)) => ExitCode::File,
        Err(error) => {
            Printer::new().diagnostic(&Diagnostic::new(format!("cannot start a thread: {error}")));
            ExitCode::File
        }
    }
}

/// Runs the command; failing to write its output is a failure, too.
fn run_and_write(arguments: Vec<OsString>) -> ExitCode {
    let printer = Printer::new();
    let code = commands::completions::answer(&arguments, &printer).unwrap_or_else(|| run_command(arguments, &printer));
    match printer.stdout_problem() {
        Some(problem) => {
            printer.diagnostic(&problem);
            ExitCode::File
        }
        None => code,
    }
}

fn run_command(arguments: Vec<OsString>, printer: &Printer) -> ExitCode {
    let cli = match args::parse(arguments) {
        Ok(cli) => cli,
        // `--help` and `--version` are returned as errors.
        Err(error) if !error.use_stderr() => {
            printer.stdout_styled(&error.render());
            return ExitCode::Done;
        }
        Err(error) => {
            printer.diagnostic(&usage_error::diagnostic(&error));
            return ExitCode::Usage;
        }
    };
    // Commands that run a prompt file register more secrets themselves.
    if !matches!(
        cli.command,
        None | Some(
            Command::Run(_)
                | Command::Map(_)
                | Command::Eval(_)
                | Command::Resume(_)
                | Command::Approve(_)
                | Command::Chat(_)
                | Command::Ask(_)
        )
    ) {
        let (variables, _) = env::variables(&std::env::current_dir().unwrap_or_default());
        printer.keep_secret(&Redactor::of_variables(variables.iter().map(|(name, value)| (name, value))));
    }
    run_parsed(cli.command, printer)
}

fn run_parsed(command: Option<Command>, printer: &Printer) -> ExitCode {
    match command {
        None => {
            printer.stdout_styled(&args::usage());
            ExitCode::Done
        }
        Some(Command::Run(run)) => commands::run::run(&run, printer),
        Some(Command::Map(map)) => commands::map::run(&map, printer),
        Some(Command::Approve(approve)) => commands::approve::run(&approve, printer),
        Some(Command::Resume(resume)) => commands::resume::run(&resume, printer),
        Some(Command::Runs(runs)) => commands::runs::run(&runs, printer),
        Some(Command::Ask(ask)) => commands::ask::run(&ask, printer),
        Some(Command::Chat(chat)) => commands::chat::run(&chat, printer),
        Some(Command::Check(check)) => commands::check::run(&check, printer),
        Some(Command::Test(test)) => commands::test::run(&test, printer),
        Some(Command::Eval(eval)) => commands::eval::run(&eval, printer),
        Some(Command::New(new)) => commands::new::run(&new, printer),
        Some(Command::Types(types)) => commands::types::run(&types, printer),
        Some(Command::Docs(docs)) => commands::docs::run(&docs, printer),
        Some(Command::Models(models)) => commands::models::run(&models, printer),
        Some(Command::View(view)) => commands::view::run(&view, printer),
        Some(Command::Mcp(mcp)) => commands::mcp::run(&mcp, printer),
        Some(Command::Worker(worker)) => commands::worker::run(&worker, printer),
        Some(Command::Completions(completions)) => commands::completions::run(&completions, printer),
        Some(Command::Describe(describe)) => commands::describe::run(&describe, printer),
        Some(Command::Lsp(_)) => commands::lsp::run(printer),
        Some(Command::Unsaved(unsaved)) => match commands::lsp::unsaved(&unsaved) {
            Ok(arguments) => run_command(arguments, printer),
            Err(problem) => {
                printer.diagnostic(&problem);
                ExitCode::Usage
            }
        },
        Some(Command::Man) => commands::man::run(printer),
    }
}
