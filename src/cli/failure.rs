//! How a command ended: from what came of it to exit code, words for people and an object for programs (docs/reference.md,
//! "Errors and exit codes"). Must not know where these are shown.

use std::{path::Path, rc::Rc};

use super::{ExitCode, approvals::waiting};
pub(super) use crate::files::io_error_text as words;
use crate::{
    chat::FinishReason,
    cost::LimitReached,
    diagnostic::Diagnostic,
    event::{FailureReport, RunFinish},
    journal::JournalError,
    prompt::RunError,
    provider::Redactor,
    remote::RemoteError,
    script::bindings::FileRun,
    session::{AskedModel, RunFailure, failure, without_secrets},
};

/// An option, or a file that one names, is not what it has to be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct WrongUsage(Box<Diagnostic>);

impl WrongUsage {
    /// A message that says all there is to say.
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

/// How a run ended.
#[derive(Debug)]
pub(super) struct Ending {
    /// What the process ends with.
    pub(super) code: ExitCode,
    /// What went wrong, for people.
    pub(super) diagnostic: Option<Diagnostic>,
    /// Whether a warning has said so already.
    pub(super) is_told: bool,
    /// Nobody reads standard output any more.
    pub(super) is_unread: bool,
    /// The recording that was replayed did not fit.
    pub(super) is_replay_failure: bool,
    /// The calls that wait for approval, in words, and how to go on; in the place of the diagnostic.
    pub(super) waiting: Option<String>,
    failure: Option<FailureReport>,
}

impl Ending {
    fn new(code: ExitCode) -> Self {
        Ending {
            code,
            diagnostic: None,
            is_told: false,
            is_unread: false,
            is_replay_failure: false,
            waiting: None,
            failure: None,
        }
    }

    fn failed(code: ExitCode, kind: &str, diagnostic: Diagnostic) -> Self {
        let failure = Some(failure(code.seen(), kind, &diagnostic));
        Ending { diagnostic: Some(diagnostic), failure, ..Ending::new(code) }
    }

    /// Nobody reads what the run writes; to stop is what was asked for then.
    pub(super) fn unread() -> Self {
        Ending { is_unread: true, ..Ending::new(ExitCode::Done) }
    }

    /// The run did not begin.
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

    /// The run could not be written down.
    pub(super) fn of_journal(diagnostic: Diagnostic) -> Self {
        Ending::failed(ExitCode::File, "journal", diagnostic)
    }

    /// A Restate server cannot be asked, or refuses.
    pub(super) fn of_server(error: RemoteError) -> Self {
        let (code, kind) = if error.is_usage { (ExitCode::Usage, "usage") } else { (ExitCode::Model, "server") };
        Ending::failed(code, kind, error.into())
    }

    /// A run at a Restate server has not come to a report.
    pub(super) fn of_run_there(code: ExitCode, diagnostic: Diagnostic) -> Self {
        Ending::failed(code, "server", diagnostic)
    }

    /// It is this file that is wrong.
    pub(super) fn in_file(mut self, file: &Path) -> Self {
        if let Some(failure) = &mut self.failure {
            failure.file = Some(file.display().to_string());
        }
        self
    }

    /// The run has passed a limit and did not end by itself.
    pub(super) fn of_limit(LimitReached { message }: LimitReached) -> Self {
        let end = FileRun::Failed(Rc::new(RunError::Limit { message }));
        Ending::of_run(&end, None, None, &Redactor::default())
    }

    /// A signal ended the run.
    pub(super) fn interrupted(signal: i32) -> Self {
        let name = match signal {
            1 => "SIGHUP",
            2 => "Ctrl-C",
            15 => "SIGTERM",
            _ => "a signal",
        };
        let diagnostic = Diagnostic::new(format!("the run was ended by {name}"));
        // Whoever pressed the keys need not be told.
        Ending { diagnostic: None, ..Ending::failed(ExitCode::Interrupted(signal), "interrupted", diagnostic) }
    }

    /// The run is over. `last` is why the last answer ended, `model` what the command line asked for.
    pub(super) fn of_run(end: &FileRun, last: Option<FinishReason>, model: Option<&str>, redactor: &Redactor) -> Self {
        let asked = model.map(|name| AskedModel { name, option: "-m, --model" });
        let Some(failed) = RunFailure::of(end, last, asked, redactor) else {
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
            is_told: failed.is_told,
            is_replay_failure: failed.is_replay_failure,
            // What a script ends with it has told, or had no reason to.
            diagnostic: (failed.kind != "exit").then_some(failed.diagnostic),
            ..Ending::new(code)
        }
    }

    /// Names the run to whoever is to decide on calls that wait in it.
    pub(super) fn of_waiting_run(mut self, run: &str, journal: Option<&Path>) -> Self {
        if let Some(failure) = self.failure.as_mut().filter(|failure| !failure.waiting.is_empty()) {
            let command = |option| waiting::command(run, option, &failure.waiting[0].call, journal);
            failure.hint = Some(format!("{} or {}", command("approve"), command("deny")));
            self.waiting = Some(waiting::text(&failure.waiting, run, journal));
        }
        self
    }

    /// The last event of the run.
    pub(super) fn to_event(&self) -> RunFinish {
        RunFinish { exit_code: self.code.seen(), error: self.failure.clone() }
    }
}
