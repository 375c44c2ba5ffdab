//! Node's modules that reach outside of the engine: sockets, TLS, compression.
//!
//! Each file hands plain functions to the JavaScript half of its module in `runtime-js/`, as
//! `lmthing:internal/native/<area>`; the faces that users know (classes, events, errors) are made there. Must not know
//! anything of prompts.

mod alive;
mod brotli_codec;
mod codec;
mod compression;
mod deflate_codec;
mod network;
mod network_error;
mod socket;
mod tls_settings;

use super::native_module::NativeModule;

/// Native halves; like those of `globals`, out of reach for prompt files.
pub(super) const NATIVE_MODULES: &[NativeModule] = &[alive::NATIVE, compression::NATIVE, network::NATIVE];
