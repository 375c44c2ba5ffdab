//! Native half of `setTimeout` and related functions: the event loop has ids and deadlines, JavaScript the callbacks.

use rquickjs::{Ctx, Function, Object, Result, Value};

use crate::event_loop::{self, EventLoop};
use crate::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/timers", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let event_loop = EventLoop::of(ctx)?;
    let exports = Object::new(ctx.clone())?;
    // setDispatcher(run): `run(kind, id)` is called for each callback that is due.
    exports.set("setDispatcher", Function::new(ctx.clone(), |ctx, run| event_loop::set_dispatcher(&ctx, run))?)?;
    // schedule(id, milliseconds, keepsAlive)
    let state = event_loop.clone();
    let schedule = move |id: u32, delay: f64, referenced: bool| state.schedule(id, delay as u64, referenced);
    exports.set("schedule", Function::new(ctx.clone(), schedule)?)?;
    let state = event_loop.clone();
    exports.set("scheduleImmediate", Function::new(ctx.clone(), move |id: u32| state.schedule_immediate(id))?)?;
    let state = event_loop.clone();
    exports.set("cancel", Function::new(ctx.clone(), move |id: u32| state.cancel(id))?)?;
    // setReferenced(id, keepsAlive)
    let state = event_loop.clone();
    let set_referenced = move |id: u32, referenced: bool| state.set_referenced(id, referenced);
    exports.set("setReferenced", Function::new(ctx.clone(), set_referenced)?)?;
    // requestTick(): runs the dispatcher with 'tick' after the pending jobs.
    exports.set("requestTick", Function::new(ctx.clone(), move || event_loop.request_tick())?)?;
    // reportUncaught(error): ends the run with this error.
    let report = |ctx: Ctx<'js>, error: Value<'js>| event_loop::report_uncaught(&ctx, error);
    exports.set("reportUncaught", Function::new(ctx.clone(), report)?)?;
    Ok(exports)
}
