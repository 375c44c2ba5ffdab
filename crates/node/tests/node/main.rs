//! The engine as a library: loader, event loop, globals and console, compared with Node.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

mod comparison;
mod console;
mod engine;
mod globals;
mod http_server;
mod loader;
mod packages;
mod scripts;
mod skipped;
mod typescript;
