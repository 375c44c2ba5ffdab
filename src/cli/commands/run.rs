//! `lmthing run <file>` (docs/reference.md, "The command line", "Recording and replay"): from arguments to the options
//! of a run, and from its outcome to words and exit code.

use std::{cell::Cell, path::Path, rc::Rc};

use anyhow::Context;

use crate::{
    chat::{FinishReason, StreamPart},
    cli::{
        ExitCode, Printer,
        args::RunArgs,
        commands::{prompt_file::check_file, recording::RunRecording},
        env,
        progress::Progress,
    },
    diagnostic::Diagnostic,
    prompt::{Listener, RunError, RunPart},
    provider::{ProviderError, ProviderErrorKind, ProviderEvent, Redactor},
    script::{SCRIPT_STACK_SIZE, ScriptHost, bindings::FileRun},
    session::{FileRunOptions, run_file},
};

/// Runs a prompt file.
///
/// # Errors
/// What keeps the run from beginning: the file, the recording, the event loop.
pub(in crate::cli) fn run(args: &RunArgs, printer: &Printer) -> anyhow::Result<ExitCode> {
    check_file(&args.file)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start the event loop")?;
    let code = runtime.block_on(run_in(args, printer));
    // Not to wait for a blocking call that nobody needs any more, such as a look-up of a name.
    runtime.shutdown_background();
    code
}

async fn run_in(args: &RunArgs, printer: &Printer) -> anyhow::Result<ExitCode> {
    let printer = Rc::new(printer.clone());
    let progress = Progress::new(printer.clone());
    let directory = std::env::current_dir().unwrap_or_default();
    let (variables, problems) = env::variables(&directory);
    for problem in problems {
        printer.stderr(&format!("Warning: {problem}\n"));
    }
    let redactor = Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    let recording = RunRecording::open(args, &redactor)?;
    let file = std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone());
    let last = Rc::new(Cell::new(FinishReason::Other));
    let options = FileRunOptions {
        exchanges: recording.exchanges.clone(),
        redactor: redactor.clone(),
        host: Rc::new(TerminalHost {
            printer: printer.clone(),
            progress: progress.clone(),
            redactor: redactor.clone(),
        }),
        listener: listener(printer.clone(), progress.clone(), last.clone()),
        on_provider_event: on_provider_event(printer.clone(), progress.clone()),
        argv: argv(args, &file),
        variables,
        max_stack_size: SCRIPT_STACK_SIZE,
    };
    let end = tokio::select! {
        biased;
        () = printer.closed() => {
            // Nobody reads any more, and a failure is the printer's to tell; but whoever replays would miss what is not there.
            recording.close(false, true, &printer);
            return Ok(ExitCode::Done);
        }
        end = run_file(&file, options) => end,
        () = printer.flush_when_idle() => unreachable!("writing never ends by itself"),
        () = progress.tick() => unreachable!("the progress line never ends by itself"),
    };
    progress.clear();
    printer.finish_line();
    let fits = !matches!(&end, FileRun::Failed(error) if is_replay_failure(error));
    let code = report(end, last.get(), &redactor, &printer);
    recording.close(i32::from(code) == 0, fits, &printer);
    Ok(code)
}

/// `process.argv`: the program, the file, the rest.
fn argv(args: &RunArgs, file: &Path) -> Vec<String> {
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_else(|_| "lmthing".into());
    [program, file.display().to_string()].into_iter().chain(args.arguments.iter().cloned()).collect()
}

/// Prints the model's text as it comes, keeps the progress line out of its way, and notes why the `last` answer ended.
fn listener(printer: Rc<Printer>, progress: Progress, last: Rc<Cell<FinishReason>>) -> Listener {
    Rc::new(move |part: &RunPart| {
        progress.part(part);
        match part {
            RunPart::Stream(part) => match &**part {
                StreamPart::TextDelta { delta, .. } => printer.text(delta),
                // What follows may keep the script busy, and the text has to be there by then.
                _ => printer.flush(),
            },
            // What the script prints from now on starts a line of its own.
            RunPart::RunEnd => printer.finish_line(),
            RunPart::StepEnd { step } => last.set(step.output.finish_reason),
            RunPart::StepStart { .. } | RunPart::ToolResult(_) => {}
        }
    })
}

/// Says why an answer is late: one line for the reason, and the progress line counts down.
fn on_provider_event(printer: Rc<Printer>, progress: Progress) -> Rc<dyn Fn(&ProviderEvent)> {
    Rc::new(move |event| {
        printer.stderr(&format!("{event}\n"));
        if let ProviderEvent::Retry { wait, .. } | ProviderEvent::Throttled { wait, .. } = event {
            progress.wait(*wait);
        }
    })
}

/// Shows how a run ended and turns it into an exit code. `last` is why the last answer ended.
fn report(end: FileRun, last: FinishReason, redactor: &Redactor, printer: &Printer) -> ExitCode {
    match end {
        // Said by the step already. A failure of the provider never ends with 0.
        FileRun::Done { exit_code: None | Some(0) } if last == FinishReason::Error => ExitCode::Model,
        FileRun::Done { exit_code } => exit_code.map_or(ExitCode::Done, ExitCode::Script),
        FileRun::Exited(code) => ExitCode::Script(code),
        FileRun::Failed(error) => {
            printer.diagnostic(&without_secrets(error_diagnostic(&error), redactor));
            error_code(&error)
        }
    }
}

/// The last net: an error of the script's own may show a line with a key in it.
fn without_secrets(diagnostic: Diagnostic, redactor: &Redactor) -> Diagnostic {
    let apply = |text: Option<String>| text.map(|text| redactor.apply(&text));
    let causes = diagnostic.causes.into_iter().map(|cause| without_secrets(cause, redactor)).collect();
    Diagnostic {
        message: redactor.apply(&diagnostic.message),
        source_line: apply(diagnostic.source_line),
        hint: apply(diagnostic.hint),
        causes,
        ..diagnostic
    }
}

fn is_replay_failure(error: &RunError) -> bool {
    matches!(error.origin(), RunError::Provider(error) if error.kind == ProviderErrorKind::Replay)
}

/// The exit code of a failure: that of an inner run that nobody caught counts as what it is.
fn error_code(error: &RunError) -> ExitCode {
    match error.origin() {
        RunError::Provider(_) => ExitCode::Model,
        RunError::Limit { .. } => ExitCode::Limit,
        RunError::Script(_) | RunError::NoModel(_) | RunError::Aborted => ExitCode::File,
    }
}

/// What to show of a failure. What came through the script is shown as the script threw it, with the advice of the failure
/// that it began with.
fn error_diagnostic(error: &RunError) -> Diagnostic {
    match error {
        RunError::Script(failure) => {
            let hint = failure.diagnostic.hint.clone().or_else(|| advice(error.origin()));
            Diagnostic { hint, ..failure.diagnostic.clone() }
        }
        RunError::Provider(error) | RunError::NoModel(error) => provider_diagnostic(error),
        RunError::Limit { .. } | RunError::Aborted => Diagnostic::new(error.to_string()),
    }
}

fn advice(error: &RunError) -> Option<String> {
    match error {
        RunError::Provider(error) | RunError::NoModel(error) => error.hint.clone(),
        RunError::Script(_) | RunError::Limit { .. } | RunError::Aborted => None,
    }
}

fn provider_diagnostic(error: &ProviderError) -> Diagnostic {
    let model =
        if error.model.is_empty() { error.provider.clone() } else { format!("{}:{}", error.provider, error.model) };
    let status = error.status.map(|status| format!(" (status {status})")).unwrap_or_default();
    let mut diagnostic = Diagnostic::new(format!("{model}{status}: {}", error.message));
    diagnostic.hint.clone_from(&error.hint);
    diagnostic
}

/// What a script prints, on its way to the printer.
struct TerminalHost {
    printer: Rc<Printer>,
    progress: Progress,
    redactor: Redactor,
}

impl ScriptHost for TerminalHost {
    fn write_stdout(&self, text: &str) {
        self.printer.script_stdout(text);
    }

    fn write_stderr(&self, text: &str) {
        self.printer.stderr(text);
    }

    fn warn(&self, message: &str) {
        // What a tool threw may hold a key.
        self.printer.stderr(&format!("Warning: {}\n", self.redactor.apply(message)));
    }

    fn busy(&self) {
        self.progress.tick_busy();
    }

    fn write_stdout_bytes(&self, bytes: &[u8]) {
        self.printer.script_stdout_bytes(bytes);
    }

    fn write_stderr_bytes(&self, bytes: &[u8]) {
        self.printer.script_stderr_bytes(bytes);
    }

    fn flush(&self) {
        self.printer.give_way();
    }

    fn stdout_is_terminal(&self) -> bool {
        self.printer.stdout_is_terminal()
    }

    fn stderr_is_terminal(&self) -> bool {
        self.printer.stderr_is_terminal()
    }

    fn stdout_has_colors(&self) -> bool {
        self.printer.stdout_has_colours()
    }

    fn stderr_has_colors(&self) -> bool {
        self.printer.stderr_has_colours()
    }

    fn columns(&self) -> Option<u16> {
        self.printer.columns()
    }
}
