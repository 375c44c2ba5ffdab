//! The globals and native module halves that every prompt file gets. Each area is one file here (its Rust half) and one
//! built-in module in `runtime-js/` (its JavaScript half), tied together by the table below and by that of
//! `runtime-js/src/builtins/internal/lazy-globals.js`, which says what is global.
//!
//! The web and Node areas (docs/reference.md, "Prompt files") hand plain functions to their JavaScript halves as
//! `lmthing:internal/native/<area>`, so that nothing of it is reachable from `globalThis`. The JavaScript half checks
//! arguments and has the faces users know; here, strings and bytes come in and plain values go out.

mod bytes;
mod console;
mod crypto;
mod encoding;
mod fetch;
mod fs;
mod fs_asks;
mod fs_attributes;
mod fs_descriptors;
mod fs_error;
mod fs_opening;
mod fs_operations;
mod fs_watch;
mod inspect;
mod intl;
mod modules;
mod os;
mod process;
mod timers;
mod url;

use rquickjs::{Ctx, Result};

pub(super) use self::bytes::Bytes;
pub(super) use self::fs_descriptors::opened;
pub(crate) use self::process::ExitCalled;
pub(crate) use self::process::environment;
pub use self::process::exit_code;
pub(super) use self::process::variable;
use super::lazy;
use super::native_module::NativeModule;

/// Native halves of built-in modules; all are named `lmthing:internal/native/…`, out of reach for prompt files.
pub(super) const NATIVE_MODULES: &[NativeModule] = &[
    console::NATIVE,
    crypto::NATIVE,
    encoding::NATIVE,
    fetch::NATIVE,
    fs::NATIVE,
    fs_watch::NATIVE,
    inspect::NATIVE,
    intl::NATIVE,
    modules::NATIVE,
    os::NATIVE,
    process::NATIVE,
    timers::NATIVE,
    url::NATIVE,
];

/// Defines every global; part of making an engine. `argv` and `env` are those of `process`.
pub(super) fn set_up(ctx: &Ctx<'_>, argv: Vec<String>, env: Vec<(String, String)>) -> Result<()> {
    process::set_up(ctx, argv, env)?;
    fs_descriptors::set_up(ctx)?;
    lazy::define(ctx, intl::is_utc())
}
