//! The language server for prompt files (docs/reference/lsp.md).
//!
//! One thread reads messages, one writes them, and one handles them in turn (`server`). Checks, hovers and commands work
//! on threads of their own and send their results to that thread. The texts of open documents stand for their files in
//! the whole process (`lmthing_system::files::set_unsaved_text`).

mod checks;
mod client;
mod commands;
mod diagnostics;
mod documents;
mod edits;
mod hover;
mod models;
mod parent;
mod requests;
mod server;
mod syntax;
mod tasks;
mod text;
mod transport;
mod uris;
mod workplace;

pub use commands::UNSAVED_COMMAND;
pub use server::{ServerOptions, serve};
