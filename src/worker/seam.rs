//! The seam between the HTTP server and the runs: the server hands every invocation over, the other half makes a run of it. Must
//! not know how either works.

use std::{path::PathBuf, sync::Arc};

use futures_util::future::BoxFuture;
use restate_sdk::{endpoint::ContextInternal, errors::HandlerError};
use serde_json::{Map, Value};

use super::{body::Stream, log::Log, tally::Turn};

/// Makes runs of invocations.
pub(crate) trait Invocations: Send + Sync + 'static {
    /// Runs a file, or goes on with a run of it: as long as an invocation has not ended, Restate calls for it again. The answer
    /// is what the handler has to give; a `TerminalError` ends the invocation as failed, anything else is tried again.
    ///
    /// The future is dropped when Restate gives the attempt up.
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, HandlerError>>;
}

/// A prompt file that is served.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Service {
    /// What it is called by: letters, digits, `_` and `-`; no two are alike.
    pub(crate) name: String,
    /// The file, absolute.
    pub(crate) path: PathBuf,
    /// Its `description`.
    pub(crate) description: Option<String>,
    /// Its `input` as a JSON Schema of type object, if it has one.
    pub(crate) input: Option<Map<String, Value>>,
    /// Its `output` as a JSON Schema, if it has one.
    pub(crate) output: Option<Value>,
}

/// What is called of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handler {
    /// Gives the value of `output`, or else the text. A failed run is a failed invocation.
    Run,
    /// Gives what `lmthing run -f json` prints, also of a run that failed.
    Report,
}

impl Handler {
    /// Both.
    pub(crate) const ALL: [Handler; 2] = [Handler::Run, Handler::Report];

    /// As Restate calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Handler::Run => "run",
            Handler::Report => "report",
        }
    }
}

/// An attempt of an invocation.
pub(crate) struct Invocation {
    /// Of what.
    pub(crate) service: Arc<Service>,
    pub(crate) handler: Handler,
    /// As it was sent, empty when nothing was. A file without `input` gets an empty one; the rest is the file's schema's.
    pub(crate) input: Map<String, Value>,
    /// What is stored is stored through it (`run`, `awakeable`).
    pub(crate) context: ContextInternal,
    /// Its name at Restate, `inv_…`, the same for all attempts.
    pub(crate) id: String,
    /// The span that it belongs to, as a W3C header has it.
    pub(crate) trace_parent: Option<String>,
    /// What comes from Restate while the handler is at work.
    pub(crate) stream: Stream,
    /// Writes lines with the service and the invocation in them.
    pub(crate) log: Log,
    /// Whether it waits for its turn or runs, for whoever looks at the worker.
    pub(crate) turn: Turn,
}
