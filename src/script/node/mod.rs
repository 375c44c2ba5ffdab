//! Native halves of Node's modules that reach out of the engine: child processes, signals, the standard streams, the
//! terminal, sockets, TLS, compression (docs/node.md).
//!
//! As in `globals`, plain functions go to the JavaScript halves as `lmthing:internal/native/<area>`; arguments are checked
//! and errors made there. What is under way keeps the program alive through [`keep::Keep`]. Must not know anything of
//! prompts.

mod alive;
mod async_context;
mod brotli_codec;
mod child_command;
mod child_process;
mod child_sync;
mod children;
mod codec;
mod compression;
mod deflate_codec;
mod keep;
mod network;
mod network_error;
mod outcome;
mod signals;
mod socket;
mod stdin;
mod system;
mod terminal;
mod tls_settings;
mod wire;

pub(crate) use children::end_all as end_children;
pub(crate) use signals::{receive_signals, take_signal};
pub(crate) use terminal::restore_terminal;

use super::native_module::NativeModule;

/// Native halves of built-in modules, out of reach for prompt files.
pub(super) const NATIVE_MODULES: &[NativeModule] = &[
    alive::NATIVE,
    async_context::NATIVE,
    child_process::NATIVE,
    compression::NATIVE,
    network::NATIVE,
    stdin::NATIVE,
    system::NATIVE,
];
