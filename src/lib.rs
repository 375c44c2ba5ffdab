//! lmthing: a runner for scripted LLM prompts.
//!
//! This library is for the binary, the tests and the fuzz target of this repository; it promises nothing to anybody else.
//!
//! Rooms, lowest first. Each may import those above it that it needs; `tests/architecture.rs` holds which, and
//! `docs/architecture.md` tells how the data goes through them:
//!
//! - [`chat`], [`schema`], [`diagnostic`] – plain types and functions that everybody shares
//! - [`cost`] – prices, and how much of a run is left
//! - [`event`] – what happens in a run, told once to all who watch
//! - [`checkpoint`] – what a run needs to go on in another process, as plain entries
//! - [`journal`] – runs in a file, so that they can be looked at and gone on with
//! - [`input`] – what is typed behind a prompt file, made into its input
//! - [`files`] – prompt files in folders: which there are, and what happens to them
//! - [`permission`] – what a prompt file may reach
//! - [`http`] – the one HTTP client
//! - [`process`] – processes of ours: ending them, and ending with whoever has started us
//! - [`remote`] – the client of a Restate server
//! - [`threads`] – threads that drive several runs at once
//! - [`mcp`] – servers of the Model Context Protocol: connections, their tools as plain data
//! - [`provider`] – the language models
//! - [`plugin`] – task list and task graph as state machines
//! - [`code`], [`sandbox`] – TypeScript that the model writes: checked, then run in a worker process
//! - [`prompt`] – what a prompt function defined, and the record of its run; no JavaScript
//! - [`script`] – the prompt file's QuickJS: loader, globals, bindings; the `'js` lifetime lives here
//! - [`session`] – one run, step by step: answers are received, tools called, limits kept
//! - [`trace`] – a run as spans for OpenTelemetry, and as a page
//! - [`check`] – what is wrong with a prompt file, found before it runs
//! - [`testing`] – tests of prompt files: discovery, isolation, results, reports
//! - [`map`] – one prompt file over many rows of data
//! - [`serve`] – prompt files as something that other programs call
//! - `worker` – prompt files as services of Restate, with the cargo feature of that name
//! - [`cli`] – arguments, printer, one file per command

#![warn(unreachable_pub)]

mod check;
mod checkpoint;
mod files;
mod http;
mod input;
mod journal;
mod map;
pub mod parser;
mod plugin;
mod process;
mod prompt;
mod remote;
mod schema;
mod serve;
mod session;
mod testing;
mod threads;
mod trace;
mod user_file;
#[cfg(feature = "worker")]
mod worker;

pub mod chat;
pub mod cli;
pub mod code;
pub mod cost;
pub mod diagnostic;
pub mod event;
pub mod mcp;
pub mod permission;
pub mod provider;
pub mod sandbox;
pub mod script;
