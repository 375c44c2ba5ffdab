//! Awaiting JavaScript promises from Rust.

use rquickjs::{Ctx, Function, Object, Promise, Result, Value, prelude::This};

use super::rejections;

/// The outcome of a value that may be a promise or thenable, by the rules of `await`. Use this instead of
/// `Promise::into_future`: a promise that was rejected before would also be reported as unhandled.
///
/// # Errors
/// A pending exception if the promise is rejected.
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
        // `Promise.resolve` follows a thenable in separate jobs, as `await` does.
        Some(object) if object.get::<_, Value>("then")?.is_function() => {
            let class: Object = ctx.globals().get("Promise")?;
            let resolve: Function = class.get("resolve")?;
            resolve.call((This(class), value.clone())).map(Some)
        }
        _ => Ok(None),
    }
}
