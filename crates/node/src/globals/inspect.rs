//! Facts about values that only the engine has: promise states, proxy targets.

use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Function, Object, Promise, Result, Value};

use crate::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/inspect", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("promiseDetails", Function::new(ctx.clone(), promise_details)?)?;
    exports.set("proxyDetails", Function::new(ctx.clone(), proxy_details)?)?;
    exports.set("hasProxy", Function::new(ctx.clone(), has_proxy)?)?;
    Ok(exports)
}

/// `['pending']`, or `['fulfilled' | 'rejected', result]`.
fn promise_details<'js>(ctx: Ctx<'js>, promise: Promise<'js>) -> Result<Array<'js>> {
    let details = Array::new(ctx.clone())?;
    match promise.state() {
        PromiseState::Pending => details.set(0, "pending")?,
        PromiseState::Resolved => {
            details.set(0, "fulfilled")?;
            details.set(1, promise.result::<Value>().transpose()?)?;
        }
        PromiseState::Rejected => {
            details.set(0, "rejected")?;
            let reason = match promise.result::<Value>() {
                // The reason is thrown.
                Some(Err(_)) => ctx.catch(),
                _ => Value::new_undefined(ctx),
            };
            details.set(1, reason)?;
        }
    }
    Ok(details)
}

/// Whether one of these values is a proxy. Runs no trap.
fn has_proxy(values: Array<'_>) -> Result<bool> {
    for value in values.iter::<Value>() {
        if value?.is_proxy() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `[target, handler]` of a proxy (both null once it is revoked), undefined for other values. Runs no trap.
fn proxy_details<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Option<Array<'js>>> {
    let Some(proxy) = value.as_proxy() else { return Ok(None) };
    let details = Array::new(ctx.clone())?;
    match (proxy.target(), proxy.handler()) {
        (Ok(target), Ok(handler)) => {
            details.set(0, target)?;
            details.set(1, handler)?;
        }
        _ => {
            // A revoked proxy throws.
            ctx.catch();
            details.set(0, Value::new_null(ctx.clone()))?;
            details.set(1, Value::new_null(ctx))?;
        }
    }
    Ok(Some(details))
}
