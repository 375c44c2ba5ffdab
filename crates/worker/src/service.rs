//! The services of a worker, and the trait that handles their invocations.

use std::{path::PathBuf, sync::Arc};

use futures_util::future::BoxFuture;
use restate_sdk::{
    endpoint::ContextInternal,
    errors::{HandlerError, TerminalError},
};
use serde_json::{Map, Value};

use super::{counters::OpenInvocation, invocation_stream::InvocationStream, log::Log};

pub trait InvocationHandler: Send + Sync + 'static {
    /// Starts or continues the run of an invocation. Restate calls it again until the invocation has ended.
    ///
    /// The future is dropped if Restate gives up the attempt.
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, InvocationError>>;
}

/// Why an attempt of an invocation has no result.
#[derive(Debug)]
pub enum InvocationError {
    /// The invocation has failed.
    Failed(TerminalError),
    /// Another attempt continues the run; the text is the reason.
    Released(String),
}

impl From<TerminalError> for InvocationError {
    fn from(error: TerminalError) -> Self {
        InvocationError::Failed(error)
    }
}

impl From<InvocationError> for HandlerError {
    fn from(error: InvocationError) -> Self {
        match error {
            InvocationError::Failed(error) => error.into(),
            InvocationError::Released(why) => why.into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Unique; consists of letters, digits, `_` and `-`.
    pub name: String,
    /// Absolute.
    pub path: PathBuf,
    pub description: Option<String>,
    /// JSON Schema of type object.
    pub input: Option<Map<String, Value>>,
    /// JSON Schema.
    pub output: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// Returns the value of `output`, or the text. A failed run is a failed invocation.
    Run,
    /// Returns the report that `lmthing run -f json` prints, also for a failed run.
    Report,
}

impl Handler {
    pub const ALL: [Handler; 2] = [Handler::Run, Handler::Report];

    pub fn name(self) -> &'static str {
        match self {
            Handler::Run => "run",
            Handler::Report => "report",
        }
    }
}

pub struct Invocation {
    pub service: Arc<Service>,
    pub handler: Handler,
    /// Empty if none was sent. Not validated yet.
    pub input: Map<String, Value>,
    pub context: ContextInternal,
    /// `inv_…`, the same for all attempts.
    pub id: String,
    /// W3C `traceparent` header.
    pub trace_parent: Option<String>,
    pub stream: InvocationStream,
    pub log: Log,
    pub open_invocation: OpenInvocation,
}
