//! Prompt files as services of Restate, a server for durable execution: the core of `lmthing worker`.

mod attempt;
mod batch;
mod beneath;
mod body;
mod crew;
mod endpoint;
mod engine;
mod gate;
mod host;
mod identity;
mod invocation;
mod listen;
mod log;
mod manifest;
mod options;
mod outbox;
mod register;
mod scan;
mod seam;
mod serving;
mod tally;
mod telling;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub(crate) use crew::Crew;
pub(crate) use identity::check_key;
pub(crate) use invocation::Runs;
pub(crate) use listen::Listener;
pub(crate) use log::{Level, Log, LogFormat};
pub(crate) use options::RunOptions;
pub(crate) use register::{Registration, TOKEN_VARIABLE};
pub(crate) use seam::{Invocations, Service};
pub(crate) use serving::Worker;
