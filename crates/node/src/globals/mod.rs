//! Globals and native halves of built-in modules that every script gets.
//!
//! Each file here is the native half of a module in `runtime-js/`. It exports plain functions of strings, bytes and
//! plain values as `lmthing:internal/native/<area>`, out of reach of scripts. The JavaScript half checks arguments
//! and has the public interface; `runtime-js/src/builtins/internal/lazy-globals.js` lists the globals.

mod bytes;
mod console;
mod crypto;
mod encoding;
mod fetch;
mod fs;
mod inspect;
mod intl;
mod lazy;
mod os;
mod process;
mod timers;
mod url;
mod wasm;

use rquickjs::{Ctx, Result};

pub use self::bytes::Bytes;
pub(crate) use self::fs::opened;
pub(crate) use self::lazy::set_up as set_up_lazy;
pub use self::process::ExitCalled;
pub use self::process::environment;
pub use self::process::exit_code;
pub(crate) use self::process::variable;
use super::native_module::NativeModule;

pub(crate) const NATIVE_MODULES: &[NativeModule] = &[
    console::NATIVE,
    crypto::NATIVE,
    encoding::NATIVE,
    fetch::NATIVE,
    fs::NATIVE,
    fs::WATCH_NATIVE,
    inspect::NATIVE,
    intl::NATIVE,
    lazy::NATIVE,
    os::NATIVE,
    process::NATIVE,
    timers::NATIVE,
    url::NATIVE,
    wasm::NATIVE,
];

/// Defines every global. `argv` and `env` are those of `process`.
pub(crate) fn set_up(ctx: &Ctx<'_>, argv: Vec<String>, env: Vec<(String, String)>) -> Result<()> {
    process::set_up(ctx, argv, env)?;
    fs::set_up(ctx)?;
    lazy::define(ctx, intl::is_utc())
}
