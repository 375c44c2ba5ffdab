//! Why a run broke off (docs/reference.md, "Errors and exit codes"). Facts, not words for the terminal: who shows or
//! throws one makes them.

use std::rc::Rc;

use thiserror::Error;

use crate::{diagnostic::Diagnostic, provider::ProviderError};

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
    /// `options.abortSignal` was aborted.
    #[error("the run was aborted")]
    Aborted,
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
    /// The failure that everything began with: that of the innermost run.
    pub(crate) fn origin(&self) -> &RunError {
        match self {
            RunError::Script(failure) => failure.inner.as_deref().map_or(self, RunError::origin),
            other => other,
        }
    }
}

impl From<Diagnostic> for RunError {
    fn from(diagnostic: Diagnostic) -> Self {
        RunError::Script(Box::new(ScriptFailure { diagnostic, inner: None }))
    }
}
