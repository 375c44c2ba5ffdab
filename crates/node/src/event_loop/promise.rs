//! Awaiting JavaScript promises from Rust. Must not know who waits, nor how long.

use rquickjs::{Ctx, Function, Object, Promise, Result, Value, prelude::This};

use super::rejections;

/// The outcome of a value that may be a promise, by the rules of `await`: thenables are followed, anything else is the
/// outcome itself. Use this instead of `Promise::into_future`: a promise that was rejected before Rust looked would
/// otherwise be reported as unhandled, though its error is returned here.
///
/// # Errors
/// A pending exception, when the promise is rejected.
pub async fn settle<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    let Some(promise) = as_promise(ctx, &value)? else { return Ok(value) };
    let outcome = promise.clone().into_future::<Value>().await;
    rejections::forget(ctx, &promise);
    outcome
}

fn as_promise<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<Promise<'js>>> {
    if let Some(promise) = value.as_promise() {
        return Ok(Some(promise.clone()));
    }
    match value.as_object() {
        // A thenable: `Promise.resolve` follows it in jobs of its own, as `await` does.
        Some(object) if object.get::<_, Value>("then")?.is_function() => {
            let class: Object = ctx.globals().get("Promise")?;
            let resolve: Function = class.get("resolve")?;
            resolve.call((This(class), value.clone())).map(Some)
        }
        _ => Ok(None),
    }
}
