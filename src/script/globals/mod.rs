//! The globals and native module halves that every prompt file gets. Each area is one file here (its Rust half) and one
//! built-in module in `runtime-js/` (its JavaScript half), tied together by the two tables below.

mod console;
mod inspect;
mod modules;
mod process;
mod timers;

use rquickjs::{Ctx, Result};

use super::lazy::{self, LazyGlobal};
use super::native_module::NativeModule;

/// Native halves of built-in modules; all are named `lmthing:internal/native/…`, out of reach for prompt files.
pub(super) const NATIVE_MODULES: &[NativeModule] =
    &[console::NATIVE, inspect::NATIVE, modules::NATIVE, process::NATIVE, timers::NATIVE];

const TIMERS: &str = "lmthing:internal/timers";

/// Globals that load their module on the first read.
const LAZY_GLOBALS: &[LazyGlobal] = &[
    LazyGlobal { name: "console", module: "lmthing:internal/console", export: "default" },
    LazyGlobal { name: "process", module: "lmthing:internal/process", export: "default" },
    LazyGlobal { name: "queueMicrotask", module: TIMERS, export: "queueMicrotask" },
    LazyGlobal { name: "setTimeout", module: TIMERS, export: "setTimeout" },
    LazyGlobal { name: "setInterval", module: TIMERS, export: "setInterval" },
    LazyGlobal { name: "setImmediate", module: TIMERS, export: "setImmediate" },
    LazyGlobal { name: "clearTimeout", module: TIMERS, export: "clearTimeout" },
    LazyGlobal { name: "clearInterval", module: TIMERS, export: "clearInterval" },
    LazyGlobal { name: "clearImmediate", module: TIMERS, export: "clearImmediate" },
];

/// Defines every global.
pub(super) fn install(ctx: &Ctx<'_>) -> Result<()> {
    lazy::lazy_globals(ctx, LAZY_GLOBALS)
}
