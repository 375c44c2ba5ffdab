//! Why a run broke off (docs/reference.md, "Errors and exit codes"). Facts, not words for the terminal: who shows or
//! throws one makes them.

use std::rc::Rc;

use thiserror::Error;

use crate::{checkpoint::StoreError, diagnostic::Diagnostic, event::AwaitedCall, provider::ProviderError};

/// Why a run broke off.
#[derive(Clone, Debug, Error)]
pub(crate) enum RunError {
    /// The prompt's own code threw.
    #[error("{}", .0.diagnostic.message)]
    // Boxed, or every result of the step loop would be as large as a diagnostic.
    Script(Box<ScriptFailure>),
    /// There is no such model: the prompt file, or what surrounds it, is wrong.
    #[error(transparent)]
    NoModel(ProviderError),
    /// The model or its provider failed; a key that is missing when the first request is due counts as that.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// A limit ended the run, such as 1000 steps.
    #[error("{message}")]
    Limit {
        /// Which limit, and how far the run had come.
        message: String,
    },
    /// The model gave no answer of the shape that `output` asks for.
    #[error("{}", .0.message)]
    Output(Box<OutputFailure>),
    /// What was typed, or handed over from code, does not fit what the prompt takes.
    #[error("{}", .0.message)]
    Usage(Box<Diagnostic>),
    /// Nothing is wrong with what was typed, but that required input is missing.
    #[error("{}", .problem.message)]
    MissingInput {
        /// What is missing, and how it is given.
        problem: Box<Diagnostic>,
        /// The properties, by their names in the schema.
        names: Vec<String>,
    },
    /// What was done could not be kept in the journal: to go on would be to lose it.
    #[error("{message}")]
    Journal {
        /// What happened to which file.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// Nothing is left to do before somebody has decided on calls that need approval.
    #[error("{}", waiting(.calls))]
    Waiting {
        /// Which.
        calls: Rc<[AwaitedCall]>,
    },
    /// `options.abortSignal` was aborted.
    #[error("the run was aborted")]
    Aborted,
}

/// An answer that does not have the shape it should have.
#[derive(Clone, Debug)]
pub(crate) struct OutputFailure {
    /// What did not fit, and how the answer begins.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The last answer.
    pub text: String,
}

/// What the prompt's own code threw.
#[derive(Clone, Debug)]
pub(crate) struct ScriptFailure {
    /// Message, place and stack.
    pub diagnostic: Diagnostic,
    /// The failure of an inner run, when that is what was thrown on: a limit stays a limit however far up it is caught.
    pub inner: Option<Rc<RunError>>,
}

impl RunError {
    /// The exit code of a run that waits for approval.
    pub(crate) const WAITING_EXIT_CODE: i32 = 5;

    /// The exit code of a run that a limit has ended.
    pub(crate) const LIMIT_EXIT_CODE: i32 = 4;

    /// The exit code of a run whose model or provider failed.
    pub(crate) const MODEL_EXIT_CODE: i32 = 3;

    /// The exit code of a run that was asked for in a wrong way.
    pub(crate) const USAGE_EXIT_CODE: i32 = 2;

    /// The exit code of a program whose own code failed.
    pub(crate) const SCRIPT_EXIT_CODE: i32 = 1;

    /// The exit code of a program that ends with this failure (docs/reference.md, "Errors and exit codes"). `asked` is the
    /// model that the command line named: that there is no such model is wrong usage then.
    pub(crate) fn exit_code(&self, asked: Option<&str>) -> i32 {
        let is_asked = |error: &ProviderError, asked| {
            error.model == asked || format!("{}:{}", error.provider, error.model) == asked
        };
        match self.origin() {
            RunError::NoModel(error) if asked.is_some_and(|asked| is_asked(error, asked)) => Self::USAGE_EXIT_CODE,
            RunError::Script(_) | RunError::NoModel(_) | RunError::Journal { .. } | RunError::Aborted => {
                Self::SCRIPT_EXIT_CODE
            }
            RunError::Usage(_) | RunError::MissingInput { .. } => Self::USAGE_EXIT_CODE,
            RunError::Provider(_) | RunError::Output(_) => Self::MODEL_EXIT_CODE,
            RunError::Limit { .. } => Self::LIMIT_EXIT_CODE,
            RunError::Waiting { .. } => Self::WAITING_EXIT_CODE,
        }
    }

    /// The failure that everything began with: that of the innermost run.
    pub(crate) fn origin(&self) -> &RunError {
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
