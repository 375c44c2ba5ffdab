//! How a run failed: from what came of it to the code, the kind and the words that everybody is told (docs/reference.md,
//! "Errors and exit codes"). Must not know where these are shown.

use crate::{
    chat::FinishReason,
    cost::similar_model,
    diagnostic::Diagnostic,
    event::{AwaitedCall, FailureReport},
    prompt::RunError,
    provider::{ProviderError, ProviderErrorKind, Redactor},
    script::bindings::FileRun,
};

/// A run that failed.
#[derive(Debug)]
pub(crate) struct RunFailure {
    /// What the process would end with.
    pub code: i32,
    /// Whether it is the script that asked for this code.
    pub is_code_of_script: bool,
    /// What kind of failure: `script`, `usage`, `model`, …
    pub kind: &'static str,
    /// What went wrong, for people. Without secrets.
    pub diagnostic: Diagnostic,
    /// Whether it has been told: a warning has said so, or the script that ended itself had no more to say.
    pub is_told: bool,
    /// Whether a recording that was replayed did not fit.
    pub is_replay_failure: bool,
    /// The calls that wait for approval.
    pub waiting: Vec<AwaitedCall>,
}

/// A model that was asked for in place of the file's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedModel<'a> {
    /// The model string.
    pub name: &'a str,
    /// How it was asked for, in front of the name: `-m, --model`.
    pub option: &'a str,
}

impl RunFailure {
    /// What went wrong in a run, if anything did. `last` is why the last answer ended, `model` what was asked for.
    pub(crate) fn of(
        end: &FileRun,
        last: Option<FinishReason>,
        model: Option<AskedModel<'_>>,
        redactor: &Redactor,
    ) -> Option<Self> {
        match end {
            // A failure of the provider never ends with 0.
            FileRun::Done { exit_code: None | Some(0) } if last == Some(FinishReason::Error) => {
                let message = "the last answer broke off with an error of the provider (finish reason error)";
                let diagnostic = Diagnostic::new(message);
                Some(RunFailure { is_told: true, ..RunFailure::new(RunError::MODEL_EXIT_CODE, "model", diagnostic) })
            }
            FileRun::Done { exit_code: None } | FileRun::Help(_) => None,
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
            is_told: false,
            is_replay_failure: false,
            waiting: Vec::new(),
        }
    }

    /// The script said how the process is to end; it has told why, or had no reason to.
    fn of_script(code: i32) -> Option<Self> {
        let seen = seen(code);
        let diagnostic = Diagnostic::new(format!("the script ended the run with exit code {seen}"));
        let failure = RunFailure::new(code, "exit", diagnostic);
        (seen != 0).then_some(RunFailure { is_code_of_script: true, is_told: true, ..failure })
    }

    fn of_error(error: &RunError, model: Option<AskedModel<'_>>, redactor: &Redactor) -> Self {
        let (code, kind) = code_and_kind(error, model);
        let mut diagnostic = without_secrets(error_diagnostic(error), redactor);
        if let (RunError::NoModel(_), RunError::USAGE_EXIT_CODE, Some(model)) = (error.origin(), code, model) {
            // Not the place in the file: it is whoever asked for the model that is wrong.
            let message = format!("{} {}: {}", model.option, model.name, diagnostic.message);
            diagnostic = Diagnostic { hint: diagnostic.hint, ..Diagnostic::new(message) };
        }
        let is_replay_failure =
            matches!(error.origin(), RunError::Provider(error) if error.kind == ProviderErrorKind::Replay);
        let waiting = match error.origin() {
            RunError::Waiting { calls } => calls.iter().map(|call| clean(call, redactor)).collect(),
            _ => Vec::new(),
        };
        RunFailure { is_replay_failure, waiting, ..RunFailure::new(code, kind, diagnostic) }
    }

    /// The same for programs.
    pub(crate) fn to_failure(&self) -> FailureReport {
        FailureReport { waiting: self.waiting.clone(), ..failure(self.code, self.kind, &self.diagnostic) }
    }
}

/// A failure as programs read it; `code` is what the process ends with.
pub(crate) fn failure(code: i32, kind: &str, diagnostic: &Diagnostic) -> FailureReport {
    let headline = diagnostic.headline();
    let location = diagnostic.location.as_ref();
    FailureReport {
        code: seen(code),
        kind: kind.to_owned(),
        message: headline.strip_prefix("Error: ").unwrap_or(&headline).to_owned(),
        hint: diagnostic.hint.clone(),
        file: location.map(|location| location.path.clone()),
        line: location.map(|location| location.line),
        column: location.map(|location| location.column),
        waiting: Vec::new(),
    }
}

/// What the parent process gets to see of an exit code: only the low byte reaches it.
fn seen(code: i32) -> i32 {
    i32::from(code.to_le_bytes()[0])
}

/// The last net: an error of the script's own may show a line with a key in it.
pub(crate) fn without_secrets(diagnostic: Diagnostic, redactor: &Redactor) -> Diagnostic {
    diagnostic.map_texts(&|text| redactor.apply(text))
}

/// A call without secrets in its arguments.
fn clean(call: &AwaitedCall, redactor: &Redactor) -> AwaitedCall {
    let mut call = call.clone();
    redactor.apply_json(&mut call.args);
    call
}

/// What a failure counts as: that of an inner run that nobody caught as what it is.
fn code_and_kind(error: &RunError, asked: Option<AskedModel<'_>>) -> (i32, &'static str) {
    let code = error.exit_code(asked.map(|asked| asked.name));
    let kind = match error.origin() {
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
    diagnostic.hint = near_price(error).or_else(|| error.hint.clone());
    diagnostic
}

/// The model that was meant, when the provider does not know the one that was asked and the price table neither.
fn near_price(error: &ProviderError) -> Option<String> {
    let is_about_name = error.hint.as_ref().is_some_and(|hint| hint.contains("the model's name"));
    let is_refused = error.kind == ProviderErrorKind::BadRequest && (error.status == Some(404) || is_about_name);
    let today = || jiff::Timestamp::now().strftime("%F").to_string();
    let meant = is_refused.then(|| similar_model(&error.provider, &error.model, &today())).flatten()?;
    Some(format!("Did you mean \"{}:{meant}\"?", error.provider))
}
