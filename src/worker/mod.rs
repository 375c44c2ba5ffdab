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

pub(crate) use engines::Engines;
pub(crate) use invocation::RunHandler;
pub(crate) use listener::WorkerListener;
pub(crate) use log::{Level, Log, LogFormat};
pub(crate) use options::RunOptions;
pub(crate) use register::{Registration, TOKEN_VARIABLE};
pub(crate) use request_signatures::check_key;
pub(crate) use server::Worker;
pub(crate) use service::{InvocationHandler, Service};
