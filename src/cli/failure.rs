//! How a command ended: exit code, message for people and object for programs
//! (docs/reference/errors.md).

use std::{path::Path, rc::Rc};

use super::{
    ExitCode,
    approvals::awaited_calls::{self, WaitingRun},
};
use lmthing_base::{
    chat::FinishReason,
    cost::LimitReached,
    diagnostic::Diagnostic,
    event::{FailureReport, RunFinish},
};
use lmthing_engine::{
    bindings::FileRun,
    prompt::RunError,
    session::{ModelOption, RunFailure, failure, without_secrets},
};
use lmthing_providers::Redactor;
use lmthing_store::journal::JournalError;
pub(super) use lmthing_system::files::io_error_text;
use lmthing_system::remote::RemoteError;

pub(super) const MODEL_OPTION: &str = "-m, --model";

/// An option, or a file that an option names, is invalid.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct WrongUsage(Box<Diagnostic>);

impl WrongUsage {
    /// A message without a hint.
    pub(super) fn plain(message: impl Into<String>) -> Self {
        WrongUsage(Box::new(Diagnostic::new(message)))
    }

    /// The message names the option, the hint says what is expected.
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        WrongUsage(Box::new(Diagnostic::new(message).with_hint(hint)))
    }
}

impl From<Box<Diagnostic>> for WrongUsage {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        WrongUsage(diagnostic)
    }
}

impl From<WrongUsage> for Diagnostic {
    fn from(wrong: WrongUsage) -> Self {
        *wrong.0
    }
}

#[derive(Debug)]
pub(super) struct Ending {
    pub(super) code: ExitCode,
    pub(super) diagnostic: Option<Diagnostic>,
    /// Whether a warning has reported the failure already.
    pub(super) is_reported: bool,
    pub(super) is_output_closed: bool,
    /// Whether a mismatch with the replayed recording ended the run.
    pub(super) is_replay_failure: bool,
    /// Message about the calls that wait for approval; replaces the diagnostic.
    pub(super) waiting: Option<String>,
    failure: Option<FailureReport>,
}

impl Ending {
    fn new(code: ExitCode) -> Self {
        Ending {
            code,
            diagnostic: None,
            is_reported: false,
            is_output_closed: false,
            is_replay_failure: false,
            waiting: None,
            failure: None,
        }
    }

    fn failed(code: ExitCode, kind: &str, diagnostic: Diagnostic) -> Self {
        let failure = Some(failure(code.low_byte(), kind, &diagnostic));
        Ending { diagnostic: Some(diagnostic), failure, ..Ending::new(code) }
    }

    /// The reader of standard output has closed it, which is no failure.
    pub(super) fn output_closed() -> Self {
        Ending { is_output_closed: true, ..Ending::new(ExitCode::Done) }
    }

    pub(super) fn not_begun(error: anyhow::Error, redactor: &Redactor) -> Self {
        let error = match error.downcast::<WrongUsage>() {
            Ok(WrongUsage(diagnostic)) => {
                return Ending::failed(ExitCode::Usage, "usage", without_secrets(*diagnostic, redactor));
            }
            Err(error) => error,
        };
        let error = match error.downcast::<JournalError>() {
            Ok(error) => return Ending::of_journal(error.into()),
            Err(error) => error,
        };
        // The alternate form joins an error with its causes in one line.
        let diagnostic = error.downcast().unwrap_or_else(|error| Diagnostic::new(format!("{error:#}")));
        Ending::failed(ExitCode::File, "file", without_secrets(diagnostic, redactor))
    }

    pub(super) fn of_journal(diagnostic: Diagnostic) -> Self {
        Ending::failed(ExitCode::File, "journal", diagnostic)
    }

    pub(super) fn of_server(error: RemoteError) -> Self {
        let (code, kind) = if error.is_usage { (ExitCode::Usage, "usage") } else { (ExitCode::Model, "server") };
        Ending::failed(code, kind, error.into())
    }

    pub(super) fn of_remote_run(code: ExitCode, diagnostic: Diagnostic) -> Self {
        Ending::failed(code, "server", diagnostic)
    }

    pub(super) fn in_file(mut self, file: &Path) -> Self {
        if let Some(failure) = &mut self.failure {
            failure.file = Some(file.display().to_string());
        }
        self
    }

    /// The run passed a time limit and did not end by itself.
    pub(super) fn of_limit(LimitReached { message, .. }: LimitReached) -> Self {
        let end = FileRun::Failed(Rc::new(RunError::Limit { message }));
        Ending::of_run(&end, None, None, &Redactor::default())
    }

    pub(super) fn interrupted(signal: i32) -> Self {
        let name = match signal {
            1 => "SIGHUP",
            2 => "Ctrl-C",
            15 => "SIGTERM",
            _ => "a signal",
        };
        let diagnostic = Diagnostic::new(format!("the run was ended by {name}"));
        // A user who pressed Ctrl-C needs no message.
        Ending { diagnostic: None, ..Ending::failed(ExitCode::Interrupted(signal), "interrupted", diagnostic) }
    }

    /// `last` is why the last response ended, `model` the one that the user has named.
    pub(super) fn of_run(
        end: &FileRun,
        last: Option<FinishReason>,
        model: Option<ModelOption<'_>>,
        redactor: &Redactor,
    ) -> Self {
        let Some(failed) = RunFailure::of(end, last, model, redactor) else {
            return Ending::new(match end {
                FileRun::Done { exit_code: Some(code) } | FileRun::Exited(code) if *code != 0 => {
                    ExitCode::Script(*code)
                }
                _ => ExitCode::Done,
            });
        };
        let is_of_script = failed.is_code_of_script;
        let code = if is_of_script { ExitCode::Script(failed.code) } else { ExitCode::of_failure(failed.code) };
        Ending {
            failure: Some(failed.to_failure()),
            is_reported: failed.is_reported,
            is_replay_failure: failed.is_replay_failure,
            // A script that calls `process.exit` has printed its own message, if any.
            diagnostic: (failed.kind != "exit").then_some(failed.diagnostic),
            ..Ending::new(code)
        }
    }

    /// Leaves out advice about the settings of the file, which the user has not written.
    pub(super) fn of_question(mut self) -> Self {
        if let Some(failure) = self.failure.as_mut().filter(|failure| failure.kind == "output") {
            failure.hint = None;
            self.diagnostic = self.diagnostic.map(|diagnostic| Diagnostic { hint: None, ..diagnostic });
        }
        self
    }

    /// Adds the commands that continue a run whose calls wait for approval.
    pub(super) fn of_waiting_run(mut self, run: WaitingRun<'_>) -> Self {
        if let Some(failure) = self.failure.as_mut().filter(|failure| !failure.waiting.is_empty()) {
            let command = |option| awaited_calls::command(run, option, &failure.waiting[0].call);
            failure.hint = Some(format!("{} or {}", command("approve"), command("deny")));
            self.waiting = Some(awaited_calls::message(&failure.waiting, run));
        }
        self
    }

    pub(super) fn to_event(&self) -> RunFinish {
        RunFinish { exit_code: self.code.low_byte(), error: self.failure.clone() }
    }
}
