//! How a run ended: from what came of it to exit code, words for people and an object for programs (docs/reference.md,
//! "Errors and exit codes"). Must not know where these are shown.

use std::{io, path::Path};

use super::ExitCode;
use crate::{
    chat::FinishReason,
    cost::near_model,
    diagnostic::Diagnostic,
    event::{Failure, RunFinish},
    prompt::RunError,
    provider::{ProviderError, ProviderErrorKind, Redactor},
    script::bindings::FileRun,
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
    failure: Option<Failure>,
}

impl Ending {
    fn new(code: ExitCode) -> Self {
        Ending { code, diagnostic: None, is_told: false, is_unread: false, is_replay_failure: false, failure: None }
    }

    fn failed(code: ExitCode, kind: &str, diagnostic: Diagnostic) -> Self {
        let failure = Some(failure(code, kind, &diagnostic));
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
        // The alternate form joins an error with its causes in one line.
        let diagnostic = error.downcast().unwrap_or_else(|error| Diagnostic::new(format!("{error:#}")));
        Ending::failed(ExitCode::File, "file", without_secrets(diagnostic, redactor))
    }

    /// It is this file that is wrong.
    pub(super) fn in_file(mut self, file: &Path) -> Self {
        if let Some(failure) = &mut self.failure {
            failure.file = Some(file.display().to_string());
        }
        self
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
    pub(super) fn of_run(end: FileRun, last: Option<FinishReason>, model: Option<&str>, redactor: &Redactor) -> Self {
        match end {
            // A failure of the provider never ends with 0.
            FileRun::Done { exit_code: None | Some(0) } if last == Some(FinishReason::Error) => {
                let message = "the last answer broke off with an error of the provider (finish reason error)";
                Ending { is_told: true, ..Ending::failed(ExitCode::Model, "model", Diagnostic::new(message)) }
            }
            FileRun::Done { exit_code: None | Some(0) } | FileRun::Help(_) => Ending::new(ExitCode::Done),
            FileRun::Done { exit_code: Some(code) } | FileRun::Exited(code) => Ending::of_script(code),
            FileRun::FailedAs(error, code) => {
                let (_, kind) = code_and_kind(&error, model);
                Ending::failed(ExitCode::Script(code), kind, without_secrets(error_diagnostic(&error), redactor))
            }
            FileRun::Failed(error) => {
                let (code, kind) = code_and_kind(&error, model);
                let mut diagnostic = without_secrets(error_diagnostic(&error), redactor);
                if let (RunError::NoModel(_), ExitCode::Usage, Some(model)) = (error.origin(), code, model) {
                    // Not the place in the file: it is the command line that is wrong.
                    let message = format!("-m, --model {model}: {}", diagnostic.message);
                    diagnostic = Diagnostic { hint: diagnostic.hint, ..Diagnostic::new(message) };
                }
                let is_replay_failure =
                    matches!(error.origin(), RunError::Provider(error) if error.kind == ProviderErrorKind::Replay);
                Ending { is_replay_failure, ..Ending::failed(code, kind, diagnostic) }
            }
        }
    }

    /// The script said how the process is to end; it has told why, or had no reason to.
    fn of_script(code: i32) -> Self {
        let code = ExitCode::Script(code);
        match code.seen() {
            0 => Ending::new(code),
            seen => {
                let diagnostic = Diagnostic::new(format!("the script ended the run with exit code {seen}"));
                Ending { diagnostic: None, ..Ending::failed(code, "exit", diagnostic) }
            }
        }
    }

    /// The last event of the run.
    pub(super) fn to_event(&self) -> RunFinish {
        RunFinish { exit_code: self.code.seen(), error: self.failure.clone() }
    }
}

fn failure(code: ExitCode, kind: &str, diagnostic: &Diagnostic) -> Failure {
    let headline = diagnostic.headline();
    let location = diagnostic.location.as_ref();
    Failure {
        code: code.seen(),
        kind: kind.to_owned(),
        message: headline.strip_prefix("Error: ").unwrap_or(&headline).to_owned(),
        hint: diagnostic.hint.clone(),
        file: location.map(|location| location.path.clone()),
        line: location.map(|location| location.line),
        column: location.map(|location| location.column),
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

/// What a failure counts as: that of an inner run that nobody caught as what it is.
fn code_and_kind(error: &RunError, asked: Option<&str>) -> (ExitCode, &'static str) {
    let code = ExitCode::of_failure(error.exit_code(asked));
    let kind = match error.origin() {
        RunError::Provider(_) => "model",
        RunError::Output(_) => "output",
        RunError::Usage(_) => "usage",
        RunError::Limit { .. } => "limit",
        RunError::NoModel(_) if code == ExitCode::Usage => "usage",
        RunError::NoModel(_) => "configuration",
        RunError::Aborted => "aborted",
        RunError::Script(_) => "script",
    };
    (code, kind)
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
        RunError::Output(failure) => {
            Diagnostic { hint: failure.hint.clone(), ..Diagnostic::new(failure.message.clone()) }
        }
        RunError::Usage(diagnostic) => (**diagnostic).clone(),
        RunError::Limit { .. } | RunError::Aborted => Diagnostic::new(error.to_string()),
    }
}

fn advice(error: &RunError) -> Option<String> {
    match error {
        RunError::Provider(error) | RunError::NoModel(error) => error.hint.clone(),
        RunError::Output(failure) => failure.hint.clone(),
        RunError::Usage(diagnostic) => diagnostic.hint.clone(),
        RunError::Script(_) | RunError::Limit { .. } | RunError::Aborted => None,
    }
}

fn provider_diagnostic(error: &ProviderError) -> Diagnostic {
    let model =
        if error.model.is_empty() { error.provider.clone() } else { format!("{}:{}", error.provider, error.model) };
    let status = error.status.map(|status| format!(" (status {status})")).unwrap_or_default();
    let mut diagnostic = Diagnostic::new(format!("{model}{status}: {}", error.message));
    diagnostic.hint = near_price(error).or_else(|| error.hint.clone());
    diagnostic
}

/// The model that was meant, when the provider does not know the one that was asked and the price table neither.
fn near_price(error: &ProviderError) -> Option<String> {
    let is_about_name = error.hint.as_ref().is_some_and(|hint| hint.contains("the model's name"));
    let is_refused = error.kind == ProviderErrorKind::BadRequest && (error.status == Some(404) || is_about_name);
    let today = || jiff::Timestamp::now().strftime("%F").to_string();
    let meant = is_refused.then(|| near_model(&error.provider, &error.model, &today())).flatten()?;
    Some(format!("Did you mean \"{}:{meant}\"?", error.provider))
}

/// What happened to a file, without the number that the system has for it.
pub(super) fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}
