//! Native half of `WebAssembly`: measures how long modules run.

use rquickjs::{Ctx, Function, Object, Result};

use crate::event_loop::EventLoop;
use crate::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/wasm", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    let event_loop = EventLoop::of(ctx)?;
    let ended = event_loop.clone();
    // begin(origin) and end(): code of a module runs in between.
    exports.set("begin", Function::new(ctx.clone(), move |origin: String| event_loop.wasm_time.begin(origin))?)?;
    exports.set("end", Function::new(ctx.clone(), move || ended.wasm_time.end())?)?;
    Ok(exports)
}
