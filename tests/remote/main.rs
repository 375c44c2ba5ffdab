//! Maps over rows, workers, and runs on a Restate server.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

mod batches;
mod eval;
mod ingress;
mod map_files;
mod map_providers;
mod map_results;
mod map_rows;
mod remote_approve;
mod remote_map;
mod remote_run;
mod restate;
mod rows;
#[cfg(unix)]
mod worker_approve;
#[cfg(unix)]
mod worker_calls;
#[cfg(unix)]
mod worker_kill;
#[cfg(unix)]
mod worker_map;
mod worker_server;
