//! `--watch` of `run`, `check` and `test` (docs/reference/command-line.md): repeats a command when a file of it
//! changes.
//!
//! Each run is a process of its own with the same arguments, so that a change ends it even in an endless loop, and runs
//! do not affect each other.

use std::{ffi::OsString, io, path::PathBuf, process::ExitStatus, time::Duration};

use tokio::process::{Child, Command};

use super::watch_input::WatchInput;
use crate::cli::{ExitCode, Printer, interrupt::Interrupts};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_system::{
    files::{FileReport, RunWatcher},
    process::{SIGTERM, end_process},
    threads::EventLoop,
};

/// How long a process may take to end after a change.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// A Ctrl-C in the terminal may end the child before it reaches this process.
const SIGNAL_DELAY: Duration = Duration::from_millis(100);

pub(super) struct WatchLoop {
    pub(super) command: &'static str,
    /// What messages call one run, such as `the run`.
    pub(super) run: &'static str,
    /// What messages say after a change, such as `running again`.
    pub(super) again: &'static str,
    pub(super) files: Vec<PathBuf>,
    pub(super) is_quiet: bool,
}

impl WatchLoop {
    /// Repeats runs until a signal arrives, whatever their exit codes.
    pub(super) fn run_until_signal(&self, printer: &Printer) -> ExitCode {
        match EventLoop::new() {
            Ok(event_loop) => event_loop.run(self.watch(printer)),
            Err(error) => cannot(printer, "start the event loop", &error.to_string()),
        }
    }

    async fn watch(&self, printer: &Printer) -> ExitCode {
        let mut interrupts = Interrupts::listen();
        let report = match FileReport::new() {
            Ok(report) => report,
            Err(error) => return cannot(printer, "write a temporary file", &error.to_string()),
        };
        let cannot_watch = |line: &str| self.log(printer, line);
        let mut watcher = match RunWatcher::new(&self.files, &report, cannot_watch) {
            Ok(watcher) => watcher,
            Err(error) => return cannot(printer, "watch files", &error.to_string()),
        };
        let mut input = WatchInput::default();
        loop {
            watcher.begin();
            let mut run = match self.start(&report) {
                Ok(run) => run,
                Err(error) => return cannot(printer, &format!("start {}", self.run), &error.to_string()),
            };
            let stdin = run.stdin.take();
            let changed = tokio::select! {
                biased;
                signal = interrupts.next() => {
                    end_process(&mut run, signal, END_TIMEOUT).await;
                    return ExitCode::Interrupted(signal);
                }
                changed = watcher.changed() => {
                    end_process(&mut run, SIGTERM, END_TIMEOUT).await;
                    changed
                }
                () = input.feed(stdin) => unreachable!("feeding never ends by itself"),
                status = run.wait() => {
                    if let Some(code) = ended_by_signal(&mut interrupts, &status).await {
                        return code;
                    }
                    self.log(printer, &format!("{}; waiting for a change", self.ended(&status)));
                    tokio::select! {
                        signal = interrupts.next() => return ExitCode::Interrupted(signal),
                        changed = watcher.changed() => changed,
                    }
                }
            };
            self.log(printer, &format!("{changed} has changed; {}", self.again));
        }
    }

    fn log(&self, printer: &Printer, line: &str) {
        if !self.is_quiet {
            printer.stderr_dim(&format!("[watch] {line}"));
        }
    }

    fn ended(&self, status: &io::Result<ExitStatus>) -> String {
        let run = self.run;
        match status {
            Ok(status) if status.success() => format!("{run} is done"),
            Ok(status) => match status.code() {
                Some(code) => format!("{run} ended with code {code}"),
                None => format!("{run} was killed"),
            },
            Err(error) => format!("{run} is lost: {error}"),
        }
    }

    /// Starts a child with the arguments of this process.
    fn start(&self, report: &FileReport) -> io::Result<Child> {
        let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        let options = ["--report-files".into(), report.path().as_os_str().to_owned()];
        let place = arguments.iter().position(|argument| argument == self.command).map_or(0, |place| place + 1);
        arguments.splice(place..place, options);
        Command::new(std::env::current_exe()?).args(arguments).stdin(WatchInput::stdio()).kill_on_drop(true).spawn()
    }
}

fn cannot(printer: &Printer, what: &str, why: &str) -> ExitCode {
    printer.diagnostic(&Diagnostic::new(format!("--watch: cannot {what}: {why}")));
    ExitCode::File
}

/// Whether the child was ended by a signal that this process gets as well.
async fn ended_by_signal(interrupts: &mut Interrupts, status: &io::Result<ExitStatus>) -> Option<ExitCode> {
    let code = status.as_ref().ok().and_then(ExitStatus::code)?;
    if !(129..=143).contains(&code) {
        return None;
    }
    tokio::time::timeout(SIGNAL_DELAY, interrupts.next()).await.ok().map(ExitCode::Interrupted)
}
