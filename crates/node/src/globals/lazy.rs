//! Globals and built-in modules that are loaded when they are first used.

use rquickjs::{Ctx, Function, JsLifetime, Object, Result};

use crate::builtin::{INTERNAL_PREFIX, import_builtin};
use crate::native_module::NativeModule;
use crate::string_text::WellFormed;
use crate::user_data;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/modules", init };

#[derive(JsLifetime)]
struct Bootstrap<'js>(Object<'js>);

/// Evaluates `lmthing:internal/bootstrap`; must come before any user code.
pub(crate) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    let exports = import_builtin(ctx, &format!("{INTERNAL_PREFIX}bootstrap"))?;
    user_data::store(ctx, Bootstrap(exports))
}

/// Defines the globals of `lazy-globals.js` as accessors that import their module on the first read and replace
/// themselves by the value. A script may assign to them, as it may in Node. `is_utc` says that local time is UTC.
pub(super) fn define(ctx: &Ctx<'_>, is_utc: bool) -> Result<()> {
    let define: Function = user_data::read::<Bootstrap>(ctx)?.0.get("setUpLater")?;
    define.call((import_function(ctx)?, is_utc))
}

/// `importBuiltin(name)`: the namespace of a built-in or native module.
fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("importBuiltin", import_function(ctx)?)?;
    Ok(exports)
}

fn import_function<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    Function::new(ctx.clone(), |ctx: Ctx<'js>, WellFormed(name): WellFormed| import_builtin(&ctx, &name))
}
