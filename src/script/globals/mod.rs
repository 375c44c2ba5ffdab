//! The globals and native module halves that every prompt file gets. Each area is one file here (its Rust half) and one
//! built-in module in `runtime-js/` (its JavaScript half), tied together by the two tables below.

use rquickjs::{Ctx, Result};

use super::lazy::{self, LazyGlobal};
use super::native_module::NativeModule;

/// Native halves of built-in modules; all are named `lmthing:internal/…`, out of reach for prompt files.
pub(super) const NATIVE_MODULES: &[NativeModule] = &[];

/// Globals that load their module on the first read.
const LAZY_GLOBALS: &[LazyGlobal] = &[];

/// Defines every global.
pub(super) fn install(ctx: &Ctx<'_>) -> Result<()> {
    lazy::lazy_globals(ctx, LAZY_GLOBALS)
}
