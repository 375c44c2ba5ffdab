//! Native half of `AsyncLocalStorage`: the engine's word on promises.

use rquickjs::{Ctx, Function, Object, Result};

use crate::script::event_loop::follow_promises;
use crate::script::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/async-context", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    // followPromises(follow): `follow(isNew, promise)` for each promise that is made or fulfilled.
    let follow = |ctx: Ctx<'js>, follow: Function<'js>| follow_promises(&ctx, follow);
    exports.set("followPromises", Function::new(ctx.clone(), follow)?)?;
    Ok(exports)
}
