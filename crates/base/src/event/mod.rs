//! The events of a run, their public JSON form (docs/reference/events.md), and the stream that delivers them to readers.
//!
//! All output about a run is derived from here: text on the terminal, `-f json` and `-f events`, costs, `result.fullStream`.
mod agent;
mod json;
mod kind;
mod partial_output;
mod recorder;
mod spans;
mod stream;
mod summary;

pub use agent::{Agent, AgentIdentity};
pub use json::run_finish_line;
pub use kind::{AwaitedCall, EventKind, FailureReport, OutputEvent, Retry, RunFinish, SentRequest};
pub use partial_output::PartialOutputs;
pub use recorder::{DeltaRecord, EventRecorder, KnownRequests, RecordedEvent};
pub use stream::{AgentScope, AgentSpan, Event, EventClock, EventReader, Events};
pub use summary::{LastAnswer, RunSummary, RunTotals, SharedSummary};
