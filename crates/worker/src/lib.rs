//! Prompt files as services of Restate, a server for durable execution: the core of `lmthing worker`.

mod attempt;
mod batch;
mod cancellation_scanner;
mod counters;
mod endpoint;
mod engine;
mod engines;
mod host;
mod invocation;
mod invocation_stream;
mod listener;
mod local_journal;
mod log;
mod logging;
mod manifest;
mod options;
mod outbox;
mod register;
mod request_filter;
mod request_signatures;
mod server;
mod service;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use engines::Engines;
pub use invocation::RunHandler;
pub use listener::WorkerListener;
pub use log::{Level, Log, LogFormat};
pub use options::RunOptions;
pub use register::{Registration, TOKEN_VARIABLE};
pub use request_signatures::{InvalidKey, check_key};
pub use server::Worker;
pub use service::{InvocationHandler, Service};
