//! The host functions, as the program around the sandbox gives them.

use futures_util::future::LocalBoxFuture;
use serde_json::value::RawValue;

use super::outcome::LogLine;
use crate::code::CodeDiagnostic;

/// What code in the sandbox can reach: the registered functions, by the names it knows them by.
///
/// Values cross as JSON text, to be parsed by an engine. The implementation validates arguments and results: what the
/// code was checked against is not what it may send.
pub trait HostFunctions {
    /// Calls a function (`calculate`, `math.add`). `args` is the single argument; `null` when the code gave none.
    /// The error is the message that the code sees as a thrown `Error`. Calls of one run are polled concurrently.
    fn call<'a>(&'a self, name: &'a str, args: Box<RawValue>) -> LocalBoxFuture<'a, Result<Box<RawValue>, String>>;

    /// The check is over; `runs` says whether the code runs now, which it has not begun to. Not called for code that could
    /// not be checked.
    fn checked(&self, _runs: bool, _diagnostics: &[CodeDiagnostic]) {}

    /// Code wrote to the console; called as it happens. The lines are in the outcome as well.
    fn console(&self, _line: &LogLine) {}

    /// Something the person at the terminal should know, such as a checker that failed.
    fn notice(&self, _text: &str) {}
}

/// No functions at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFunctions;

impl HostFunctions for NoFunctions {
    fn call<'a>(&'a self, name: &'a str, _: Box<RawValue>) -> LocalBoxFuture<'a, Result<Box<RawValue>, String>> {
        Box::pin(async move { Err(format!("{name} is not a function")) })
    }
}
