//! The exit code, kind and message of a failed run (docs/reference/errors.md).

use crate::{bindings::FileRun, prompt::RunError};
use lmthing_base::{
    chat::FinishReason,
    cost::similar_model,
    diagnostic::Diagnostic,
    event::{AwaitedCall, FailureReport},
};
use lmthing_providers::{ProviderError, ProviderErrorKind, Redactor};

#[derive(Debug)]
pub struct RunFailure {
    pub code: i32,
    pub is_code_of_script: bool,
    /// The kind of failure: `script`, `usage`, `model`, …
    pub kind: &'static str,
    pub diagnostic: Diagnostic,
    /// Whether it was reported before: as a warning, or by the script that ended itself.
    pub is_reported: bool,
    pub is_replay_failure: bool,
    pub waiting: Vec<AwaitedCall>,
}

#[derive(Clone, Copy, Debug)]
pub struct ModelOption<'a> {
    pub name: &'a str,
    /// The option, as shown in front of the model's name: `-m, --model`.
    pub option: &'a str,
}

impl RunFailure {
    /// The failure of a run, if there is one. `last` is the finish reason of the last answer, `model` the replaced
    /// model.
    pub fn of(
        end: &FileRun,
        last: Option<FinishReason>,
        model: Option<ModelOption<'_>>,
        redactor: &Redactor,
    ) -> Option<Self> {
        match end {
            // A run that ended with an error of the provider does not succeed.
            FileRun::Done { exit_code: None | Some(0) } if last == Some(FinishReason::Error) => {
                let message = "the last answer broke off with an error of the provider (finish reason error)";
                let diagnostic = Diagnostic::new(message);
                Some(RunFailure {
                    is_reported: true,
                    ..RunFailure::new(RunError::MODEL_EXIT_CODE, "model", diagnostic)
                })
            }
            FileRun::Done { exit_code: None } | FileRun::Help(_) | FileRun::Suspended { .. } => None,
            FileRun::Done { exit_code: Some(code) } | FileRun::Exited(code) => RunFailure::of_script(*code),
            FileRun::FailedAs(error, code) => {
                let (_, kind) = code_and_kind(error, model);
                let diagnostic = without_secrets(error_diagnostic(error), redactor);
                Some(RunFailure { is_code_of_script: true, ..RunFailure::new(*code, kind, diagnostic) })
            }
            FileRun::Failed(error) => Some(RunFailure::of_error(error, model, redactor)),
        }
    }

    fn new(code: i32, kind: &'static str, diagnostic: Diagnostic) -> Self {
        RunFailure {
            code,
            is_code_of_script: false,
            kind,
            diagnostic,
            is_reported: false,
            is_replay_failure: false,
            waiting: Vec::new(),
        }
    }

    fn of_script(code: i32) -> Option<Self> {
        let low_byte = low_byte(code);
        let diagnostic = Diagnostic::new(format!("the script ended the run with exit code {low_byte}"));
        let failure = RunFailure::new(code, "exit", diagnostic);
        (low_byte != 0).then_some(RunFailure { is_code_of_script: true, is_reported: true, ..failure })
    }

    fn of_error(error: &RunError, model: Option<ModelOption<'_>>, redactor: &Redactor) -> Self {
        let (code, kind) = code_and_kind(error, model);
        let mut diagnostic = without_secrets(error_diagnostic(error), redactor);
        if let (RunError::NoModel(_), RunError::USAGE_EXIT_CODE, Some(model)) = (error.origin(), code, model) {
            // The fault is in the option that names the model, so the location in the file is left out.
            let message = format!("{} {}: {}", model.option, model.name, diagnostic.message);
            diagnostic = Diagnostic { hint: diagnostic.hint, ..Diagnostic::new(message) };
        }
        let is_replay_failure =
            matches!(error.origin(), RunError::Provider(error) if error.kind == ProviderErrorKind::Replay);
        let waiting = match error.origin() {
            RunError::Waiting { calls } => calls.iter().map(|call| redact_call(call, redactor)).collect(),
            _ => Vec::new(),
        };
        RunFailure { is_replay_failure, waiting, ..RunFailure::new(code, kind, diagnostic) }
    }

    pub fn to_failure(&self) -> FailureReport {
        FailureReport { waiting: self.waiting.clone(), ..failure(self.code, self.kind, &self.diagnostic) }
    }
}

pub fn failure(code: i32, kind: &str, diagnostic: &Diagnostic) -> FailureReport {
    let headline = diagnostic.headline();
    let location = diagnostic.location.as_ref();
    FailureReport {
        code: low_byte(code),
        kind: kind.to_owned(),
        message: headline.strip_prefix("Error: ").unwrap_or(&headline).to_owned(),
        hint: diagnostic.hint.clone(),
        file: location.map(|location| location.path.clone()),
        line: location.map(|location| location.line),
        column: location.map(|location| location.column),
        waiting: Vec::new(),
    }
}

/// The exit code as the parent process receives it: its low byte.
fn low_byte(code: i32) -> i32 {
    i32::from(code.to_le_bytes()[0])
}

/// Redacts at the last step, as an error thrown by the script may contain a secret.
pub fn without_secrets(diagnostic: Diagnostic, redactor: &Redactor) -> Diagnostic {
    diagnostic.map_texts(&|text| redactor.apply(text))
}

fn redact_call(call: &AwaitedCall, redactor: &Redactor) -> AwaitedCall {
    let mut call = call.clone();
    redactor.apply_json(&mut call.args);
    call
}

fn code_and_kind(error: &RunError, model: Option<ModelOption<'_>>) -> (i32, &'static str) {
    let code = error.exit_code(model.map(|model| model.name));
    let kind = match error.origin() {
        RunError::Provider(_) if code == RunError::USAGE_EXIT_CODE => "usage",
        RunError::Provider(_) => "model",
        RunError::Output(_) => "output",
        RunError::Usage(_) | RunError::MissingInput { .. } => "usage",
        RunError::Limit { .. } => "limit",
        RunError::NoModel(_) if code == RunError::USAGE_EXIT_CODE => "usage",
        RunError::NoModel(_) => "configuration",
        RunError::Journal { .. } => "journal",
        RunError::Waiting { .. } => "approval",
        RunError::Aborted => "aborted",
        RunError::Script(_) => "script",
    };
    (code, kind)
}

/// An error that passed through the script is shown as thrown, with the hint of the original error.
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
        RunError::Usage(diagnostic) | RunError::MissingInput { problem: diagnostic, .. } => (**diagnostic).clone(),
        RunError::Journal { message, hint } => Diagnostic { hint: hint.clone(), ..Diagnostic::new(message.clone()) },
        RunError::Limit { .. } | RunError::Waiting { .. } | RunError::Aborted => Diagnostic::new(error.to_string()),
    }
}

fn advice(error: &RunError) -> Option<String> {
    match error {
        RunError::Provider(error) | RunError::NoModel(error) => error.hint.clone(),
        RunError::Output(failure) => failure.hint.clone(),
        RunError::Usage(diagnostic) | RunError::MissingInput { problem: diagnostic, .. } => diagnostic.hint.clone(),
        RunError::Journal { hint, .. } => hint.clone(),
        RunError::Script(_) | RunError::Limit { .. } | RunError::Waiting { .. } | RunError::Aborted => None,
    }
}

fn provider_diagnostic(error: &ProviderError) -> Diagnostic {
    let model =
        if error.model.is_empty() { error.provider.clone() } else { format!("{}:{}", error.provider, error.model) };
    let status = error.status.map(|status| format!(" (status {status})")).unwrap_or_default();
    let mut diagnostic = Diagnostic::new(format!("{model}{status}: {}", error.message));
    diagnostic.hint = model_hint(error).or_else(|| error.hint.clone());
    diagnostic
}

/// Suggests a model if neither the provider nor the price table knows the requested one.
fn model_hint(error: &ProviderError) -> Option<String> {
    let is_refused =
        error.kind == ProviderErrorKind::BadRequest && (error.status == Some(404) || error.is_unknown_model);
    let today = || jiff::Timestamp::now().strftime("%F").to_string();
    let meant = is_refused.then(|| similar_model(&error.provider, &error.model, &today())).flatten()?;
    Some(format!("Did you mean \"{}:{meant}\"?", error.provider))
}
