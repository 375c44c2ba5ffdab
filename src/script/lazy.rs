//! Globals that cost nothing until they are read.

use rquickjs::{Ctx, Function, JsLifetime, Object, Result};

use super::builtin::{self, INTERNAL_PREFIX};
use super::user_data;

/// One lazy global: reading `globalThis[name]` for the first time imports `module` and takes its `export`.
#[derive(Clone, Copy)]
pub(super) struct LazyGlobal {
    pub(super) name: &'static str,
    pub(super) module: &'static str,
    pub(super) export: &'static str,
}

/// The exports of `lmthing:internal/bootstrap`.
#[derive(JsLifetime)]
struct Bootstrap<'js>(Object<'js>);

/// Evaluates the bootstrap module; must come before any user code.
pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    let exports = builtin::import_builtin(ctx, &format!("{INTERNAL_PREFIX}bootstrap"))?;
    user_data::store(ctx, Bootstrap(exports))
}

/// Defines each as an accessor that imports its module on the first read and replaces itself by the value. A script may
/// assign to it, as it may in Node.
pub(super) fn define(ctx: &Ctx<'_>, globals: &[LazyGlobal]) -> Result<()> {
    let define: Function = user_data::read::<Bootstrap>(ctx)?.0.get("defineLazyGlobals")?;
    // One call for all of them: this runs at every start.
    let table: Vec<_> = globals.iter().map(|global| vec![global.name, global.module, global.export]).collect();
    let import = Function::new(ctx.clone(), |ctx, module: String| builtin::import_builtin(&ctx, &module))?;
    define.call((table, import))
}
