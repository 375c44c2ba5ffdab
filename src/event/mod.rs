//! What happens in a run, told once: plain events, and the stream in which they reach whoever watches.
//!
//! Owns: the events with their public JSON form (docs/events.md), who of a run they belong to, and the order they come in.
//! Everything that a person or a program is told of a run is read from here: text on the terminal, `-f json` and
//! `-f events`, costs, and what `result.fullStream` shows. Must not know who reads.

mod agent;
mod json;
mod kind;
mod record;
mod spans;
mod stream;
mod summary;

pub use agent::{Agent, Called};
pub use json::run_finish_line;
pub use kind::{AwaitedCall, EventKind, Failure, Output, Retry, RunFinish, Sent};
pub use record::{Piece, Record, Recorded, Seen};
pub use stream::{AgentSpan, Event, EventClock, Events, Reader, Scope};
pub use summary::{LastAnswer, SharedSummary, Summary, Sums};
