//! Importing a built-in module at once, for JavaScript that must not load it before it is needed.

use rquickjs::{Ctx, Function, Object, Result};

use crate::script::builtin::import_builtin;
use crate::script::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/modules", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    // importBuiltin(name): the namespace of a built-in or native module.
    let import = |ctx: Ctx<'js>, name: String| import_builtin(&ctx, &name);
    exports.set("importBuiltin", Function::new(ctx.clone(), import)?)?;
    Ok(exports)
}
