//! Globals that cost nothing until they are read.

use rquickjs::{Ctx, Function, JsLifetime, Object, Result};

use super::builtin::{self, INTERNAL_PREFIX};
use super::user_data;

/// The exports of `lmthing:internal/bootstrap`.
#[derive(JsLifetime)]
struct Bootstrap<'js>(Object<'js>);

/// Evaluates the bootstrap module; must come before any user code.
pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    let exports = builtin::import_builtin(ctx, &format!("{INTERNAL_PREFIX}bootstrap"))?;
    user_data::store(ctx, Bootstrap(exports))
}

/// Defines those of `lazy-globals.js` as accessors that import their module on the first read and replace themselves by the
/// value. A script may assign to them, as it may in Node. `is_utc` says that local time is UTC.
pub(super) fn define(ctx: &Ctx<'_>, is_utc: bool) -> Result<()> {
    let define: Function = user_data::read::<Bootstrap>(ctx)?.0.get("setUpLater")?;
    let import = Function::new(ctx.clone(), |ctx, module: String| builtin::import_builtin(&ctx, &module))?;
    define.call((import, is_utc))
}
