//! Conversion of run errors to JavaScript exceptions and back.
//!
//! An exception carries its [`RunError`]. So a limit of an inner run is still a limit when it ends the outer one, and
//! an author's own error of the same name is not.

use std::rc::Rc;

use rquickjs::{Class, Ctx, Error, Value};

use crate::{
    bindings::prompt::run::PromptRun,
    prompt::{RunError, ScriptFailure},
};
use lmthing_node::{ScriptError, Thrown};
use lmthing_providers::{ProviderError, ProviderErrorKind};

/// Throws the error of a run: the value that the prompt's code threw, or an `Error` for other failures.
pub(crate) fn throw_run_error<'js>(ctx: &Ctx<'js>, run: &Class<'js, PromptRun<'js>>, error: &Rc<RunError>) -> Error {
    match run.borrow().thrown() {
        Some(thrown) => ctx.throw(thrown),
        None => script_error(error).payload(error.clone()).throw(ctx),
    }
}

pub(crate) fn error_value<'js>(ctx: &Ctx<'js>, error: &Rc<RunError>) -> Value<'js> {
    script_error(error).payload(error.clone()).throw(ctx);
    ctx.catch()
}

pub(crate) fn throw_no_model(ctx: &Ctx<'_>, error: ProviderError) -> Error {
    let error = Rc::new(RunError::NoModel(error));
    script_error(&error).payload(error).throw(ctx)
}

fn script_error(error: &RunError) -> ScriptError {
    match error {
        RunError::Script(failure) => ScriptError::error(failure.diagnostic.message.clone()),
        RunError::Provider(error) | RunError::NoModel(error) => {
            // The same class at the start and, as for a missing key, at the first request.
            let is_configuration = error.kind == ProviderErrorKind::Configuration;
            let thrown = ScriptError::error(error.message.clone())
                .name(if is_configuration { "ConfigurationError" } else { "ProviderError" })
                .property("provider", error.provider.clone())
                .property("model", error.model.clone());
            let thrown = match error.status {
                Some(status) => thrown.property("status", status),
                None => thrown,
            };
            match &error.hint {
                Some(hint) => thrown.property("hint", hint.clone()),
                None => thrown,
            }
        }
        RunError::Usage(diagnostic) | RunError::MissingInput { problem: diagnostic, .. } => {
            ScriptError::type_error(diagnostic.message.clone())
        }
        RunError::Limit { message } => ScriptError::error(message.clone()).name("LimitError"),
        RunError::Output(failure) => {
            let thrown =
                ScriptError::error(failure.message.clone()).name("OutputError").property("text", failure.text.clone());
            match &failure.hint {
                Some(hint) => thrown.property("hint", hint.clone()),
                None => thrown,
            }
        }
        RunError::Journal { message, .. } => ScriptError::error(message.clone()).name("JournalError"),
        RunError::Waiting { .. } => ScriptError::error(error.to_string()).name("ApprovalError"),
        RunError::Aborted => ScriptError::error(error.to_string()).name("AbortError"),
    }
}

pub(crate) fn run_error(thrown: Thrown) -> RunError {
    let inner = thrown.payload_as::<RunError>();
    RunError::Script(Box::new(ScriptFailure { diagnostic: thrown.diagnostic, inner }))
}
