//! Prompt files as services of Restate, an engine for durable work: what `lmthing worker` is.
//!
//! Owns: the HTTP server that Restate calls, what it tells of the services, their registration, invocations and their runs, what is
//! logged of them.
//!
//! Must not know: arguments, the terminal, nor how prompt files are found and described.

#![allow(dead_code, unused_imports, reason = "until all of it is here")]

mod attempt;
mod batch;
mod beneath;
mod body;
mod crew;
mod engine;
mod host;
mod invocation;
mod log;
mod options;
mod outbox;
mod scan;
mod seam;
mod tally;
mod telling;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub(crate) use crew::Crew;
pub(crate) use invocation::Runs;
pub(crate) use options::RunOptions;
