//! Runs of prompt files: options, output formats, limits, approval, telemetry, recordings, terminals.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

mod approve;
mod approve_everywhere;
mod ask;
mod author_errors;
mod chat;
#[cfg(target_os = "linux")]
mod chat_terminal;
mod cost;
mod ends;
mod eval_page;
mod events;
mod file_input;
mod formats;
mod helpers;
mod limits;
mod memory;
mod options;
mod otel;
mod otel_collectors;
mod otel_requests;
mod otel_support;
mod pages;
#[cfg(unix)]
mod process_end;
#[cfg(target_os = "linux")]
mod progress;
mod prompt_cache;
mod recording;
mod scenarios;
#[cfg(target_os = "linux")]
mod terminal;
mod typed_input;
mod typed_output;
mod unfinished;
mod view;
mod view_page;
mod view_requests;
#[cfg(unix)]
mod watch;
