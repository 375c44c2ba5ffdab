//! Globals that cost nothing until they are read.

use rquickjs::{Ctx, Exception, Function, JsLifetime, Object, Result};

use super::builtin::{self, INTERNAL_PREFIX};

/// One lazy global: reading `globalThis[name]` for the first time imports `module` and takes its `export`; an empty
/// `export` means the whole namespace.
#[derive(Clone, Copy)]
pub struct LazyGlobal {
    pub name: &'static str,
    pub module: &'static str,
    pub export: &'static str,
}

/// The exports of `lmthing:internal/bootstrap`.
#[derive(JsLifetime)]
pub(super) struct Bootstrap<'js>(Object<'js>);

/// Evaluates the bootstrap module; must come before any user code.
pub(super) fn bootstrap(ctx: &Ctx<'_>) -> Result<()> {
    let exports = builtin::import_builtin(ctx, &format!("{INTERNAL_PREFIX}bootstrap"))?;
    ctx.store_userdata(Bootstrap(exports)).map(drop).map_err(|_| Exception::throw_internal(ctx, "user data is in use"))
}

/// Defines `globalThis[name]` as an accessor that imports the module on the first read and replaces itself by the value.
/// A script may assign to it, as it may in Node.
pub fn lazy_global(ctx: &Ctx<'_>, name: &str, module: &str, export: &str) -> Result<()> {
    define(ctx, vec![vec![name, module, export]])
}

/// [`lazy_global`] for a whole table.
pub fn lazy_globals(ctx: &Ctx<'_>, table: &[LazyGlobal]) -> Result<()> {
    define(ctx, table.iter().map(|global| vec![global.name, global.module, global.export]).collect())
}

fn define(ctx: &Ctx<'_>, table: Vec<Vec<&str>>) -> Result<()> {
    let define: Function = {
        let bootstrap =
            ctx.userdata::<Bootstrap>().ok_or_else(|| Exception::throw_internal(ctx, "the engine is not set up"))?;
        bootstrap.0.get("defineLazyGlobals")?
    };
    let import = Function::new(ctx.clone(), |ctx, module: String| builtin::import_builtin(&ctx, &module))?;
    define.call((table, import))
}
