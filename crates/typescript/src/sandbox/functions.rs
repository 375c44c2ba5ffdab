//! The interface to the host functions.

use futures_util::future::LocalBoxFuture;
use serde_json::value::RawValue;

use super::outcome::LogLine;
use crate::code::CodeDiagnostic;
use lmthing_base::checkpoint::CallError;

/// The functions that code in the sandbox can call.
///
/// Values are passed as JSON text, to be parsed by an engine. The implementation must validate arguments and results:
/// the sender is not bound to the declarations that the code was checked against.
pub trait HostFunctions {
    /// Calls a function (`calculate`, `math.add`). `args` is the single argument, if there was one. The error
    /// becomes the message of an `Error` thrown in the code. Calls of one run are polled concurrently.
    fn call<'a>(
        &'a self,
        name: &'a str,
        args: Option<Box<RawValue>>,
    ) -> LocalBoxFuture<'a, Result<Box<RawValue>, CallError>>;

    /// Called after the check; `runs` says whether the code is run next. Not called if the check itself failed.
    fn checked(&self, _runs: bool, _diagnostics: &[CodeDiagnostic]) {}

    /// Called for each console line as it is written. The outcome contains the lines too.
    fn console(&self, _line: &LogLine) {}

    /// A message for the user, such as a failure of the checker.
    fn notice(&self, _text: &str) {}
}

/// Provides no functions.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFunctions;

impl HostFunctions for NoFunctions {
    fn call<'a>(
        &'a self,
        name: &'a str,
        _: Option<Box<RawValue>>,
    ) -> LocalBoxFuture<'a, Result<Box<RawValue>, CallError>> {
        Box::pin(async move { Err(CallError(format!("{name} is not a function"))) })
    }
}
