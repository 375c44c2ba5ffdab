//! MCP servers that prompt files use, and prompt files served as MCP tools.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

mod asks;
mod client;
#[cfg(target_os = "linux")]
mod conversation;
mod faults;
mod functions;
mod http;
mod modern;
mod names;
mod npm;
#[cfg(unix)]
mod resume;
mod search;
#[cfg(unix)]
mod serve_calls;
#[cfg(unix)]
mod serve_changes;
#[cfg(unix)]
mod serve_files;
mod serve_http;
mod serve_npm;
mod serve_stdio;
mod served;
mod tools;
