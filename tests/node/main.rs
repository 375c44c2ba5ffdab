//! The JavaScript engine without prompts: modules, globals, console, errors.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/skipped.rs"]
mod skipped;

mod console;
mod engine;
mod globals;
mod http_server;
mod loader;
mod packages;
mod scripts;
mod typescript;
