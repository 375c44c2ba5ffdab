//! `--watch` of `run` and `check` (docs/command-line.md): does the same again when something that it is made of changes.
//!
//! Each run is a process of its own, started with the same arguments: whatever a script does, even in an endless loop, a
//! change ends it, and nothing of one run is left for the next. Must not know what a run does.

use std::{ffi::OsString, io, path::PathBuf, process::ExitStatus, time::Duration};

use tokio::process::{Child, Command};

use super::watch_input::WatchInput;
use crate::{
    cli::{ExitCode, Printer, interrupt::Interrupts},
    diagnostic::Diagnostic,
    files::{FileReport, RunWatcher},
    process::{SIGTERM, end_process},
};

/// How long a run that is broken off has for its last words.
const FAREWELL: Duration = Duration::from_secs(1);

/// A Ctrl-C in the terminal ends the run a moment before it reaches us.
const SAME_TIME: Duration = Duration::from_millis(100);

/// Does something again and again, as often as a file changes.
pub(super) struct WatchLoop {
    /// The command, as it is typed: `run`.
    pub(super) command: &'static str,
    /// What one run of it is called: `the run`.
    pub(super) run: &'static str,
    /// What is done when something has changed: `running again`.
    pub(super) again: &'static str,
    /// The files that the command line names.
    pub(super) files: Vec<PathBuf>,
    /// Nothing is told between two runs.
    pub(super) is_quiet: bool,
}

impl WatchLoop {
    /// Watches until a signal comes; a run that fails ends nothing.
    pub(super) fn until_a_signal(&self, printer: &Printer) -> ExitCode {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return cannot(printer, "start the event loop", &error.to_string()),
        };
        let code = runtime.block_on(self.watch(printer));
        // Not to wait for somebody to type what no run will read.
        runtime.shutdown_background();
        code
    }

    async fn watch(&self, printer: &Printer) -> ExitCode {
        let mut interrupts = Interrupts::listen();
        let report = match FileReport::new() {
            Ok(report) => report,
            Err(error) => return cannot(printer, "write a temporary file", &error.to_string()),
        };
        let cannot_watch = |line: &str| self.tell(printer, line);
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
                    end_process(&mut run, signal, FAREWELL).await;
                    return ExitCode::Interrupted(signal);
                }
                changed = watcher.changed() => {
                    end_process(&mut run, SIGTERM, FAREWELL).await;
                    changed
                }
                () = input.feed(stdin) => unreachable!("feeding never ends by itself"),
                status = run.wait() => {
                    if let Some(code) = told_to_end(&mut interrupts, &status).await {
                        return code;
                    }
                    self.tell(printer, &format!("{}; waiting for a change", self.ended(&status)));
                    tokio::select! {
                        signal = interrupts.next() => return ExitCode::Interrupted(signal),
                        changed = watcher.changed() => changed,
                    }
                }
            };
            self.tell(printer, &format!("{changed} has changed; {}", self.again));
        }
    }

    /// What stands between two runs.
    fn tell(&self, printer: &Printer, line: &str) {
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

    /// Starts a run with our own arguments.
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

/// Whether the run ended because we are to end as well.
async fn told_to_end(interrupts: &mut Interrupts, status: &io::Result<ExitStatus>) -> Option<ExitCode> {
    let code = status.as_ref().ok().and_then(ExitStatus::code)?;
    if !(129..=143).contains(&code) {
        return None;
    }
    tokio::time::timeout(SAME_TIME, interrupts.next()).await.ok().map(ExitCode::Interrupted)
}
