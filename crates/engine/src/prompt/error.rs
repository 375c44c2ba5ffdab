//! The errors that end a run (docs/reference/errors.md), as facts; messages are made where they are
//! shown.

use std::rc::Rc;

use thiserror::Error;

use lmthing_base::{checkpoint::StoreError, diagnostic::Diagnostic, event::AwaitedCall};
use lmthing_providers::{ProviderError, ProviderErrorKind};

#[derive(Clone, Debug, Error)]
pub enum RunError {
    /// Boxed to keep results of the step loop small.
    #[error("{}", .0.diagnostic.message)]
    Script(Box<ScriptFailure>),
    /// The model does not exist: a mistake in the prompt file or its configuration.
    #[error(transparent)]
    NoModel(ProviderError),
    /// The model or its provider failed, or a key is missing at the first request.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error("{message}")]
    Limit { message: String },
    /// The model gave no answer that matches `output`.
    #[error("{}", .0.message)]
    Output(Box<OutputFailure>),
    #[error("{}", .0.message)]
    Usage(Box<Diagnostic>),
    /// Required input is missing, with no other mistake in the arguments.
    #[error("{}", .problem.message)]
    MissingInput { problem: Box<Diagnostic>, names: Vec<String> },
    /// The journal could not be written, so that continuing would lose what is done.
    #[error("{message}")]
    Journal { message: String, hint: Option<String> },
    /// Only calls that need approval are left.
    #[error("{}", waiting(.calls))]
    Waiting { calls: Rc<[AwaitedCall]> },
    #[error("the run was aborted")]
    Aborted,
}

#[derive(Clone, Debug)]
pub struct OutputFailure {
    pub message: String,
    pub hint: Option<String>,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct ScriptFailure {
    pub diagnostic: Diagnostic,
    /// The error of an inner run that was rethrown: its kind is kept, however often it is caught.
    pub inner: Option<Rc<RunError>>,
}

impl RunError {
    pub const WAITING_EXIT_CODE: i32 = 5;

    pub const LIMIT_EXIT_CODE: i32 = 4;

    pub const MODEL_EXIT_CODE: i32 = 3;

    pub const USAGE_EXIT_CODE: i32 = 2;

    pub const SCRIPT_EXIT_CODE: i32 = 1;

    /// The exit code of a program that ends with this error (docs/reference/errors.md). `requested` is
    /// the model named on the command line: if it does not exist, that is wrong usage.
    pub fn exit_code(&self, requested: Option<&str>) -> i32 {
        let is_requested = |error: &ProviderError, requested| {
            error.model == requested || format!("{}:{}", error.provider, error.model) == requested
        };
        match self.origin() {
            RunError::NoModel(error) if requested.is_some_and(|requested| is_requested(error, requested)) => {
                Self::USAGE_EXIT_CODE
            }
            RunError::Script(_) | RunError::NoModel(_) | RunError::Journal { .. } | RunError::Aborted => {
                Self::SCRIPT_EXIT_CODE
            }
            RunError::Usage(_) | RunError::MissingInput { .. } => Self::USAGE_EXIT_CODE,
            RunError::Provider(error) if error.kind == ProviderErrorKind::File => Self::USAGE_EXIT_CODE,
            RunError::Provider(_) | RunError::Output(_) => Self::MODEL_EXIT_CODE,
            RunError::Limit { .. } => Self::LIMIT_EXIT_CODE,
            RunError::Waiting { .. } => Self::WAITING_EXIT_CODE,
        }
    }

    pub fn origin(&self) -> &RunError {
        match self {
            RunError::Script(failure) => failure.inner.as_deref().map_or(self, RunError::origin),
            other => other,
        }
    }
}

fn waiting(calls: &[AwaitedCall]) -> String {
    let names: Vec<_> = calls.iter().map(|call| format!("{} ({})", call.name, call.call)).collect();
    let (calls, wait) = if calls.len() == 1 { ("the call", "waits") } else { ("the calls", "wait") };
    format!("{calls} of {} {wait} for approval", names.join(", "))
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> Self {
        RunError::Journal { message: error.message, hint: error.hint }
    }
}

impl From<Diagnostic> for RunError {
    fn from(diagnostic: Diagnostic) -> Self {
        RunError::Script(Box::new(ScriptFailure { diagnostic, inner: None }))
    }
}
