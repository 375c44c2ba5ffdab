//! Waiting for an `AbortSignal` from Rust.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use rquickjs::{Ctx, Function, Object, Result, Value, function::This};
use tokio::sync::Notify;

/// Resolves when the signal is aborted; never for a value that is not a signal.
pub(crate) fn aborted<'js>(ctx: &Ctx<'js>, signal: Option<Value<'js>>) -> LocalBoxFuture<'js, ()> {
    let Some(signal) = signal.and_then(Value::into_object) else { return std::future::pending().boxed_local() };
    match listen(ctx, &signal) {
        Ok(None) => std::future::ready(()).boxed_local(),
        Ok(Some(notify)) => async move { notify.notified().await }.boxed_local(),
        Err(_) => {
            // An object with `aborted` but without events. Ignored, as an invalid option must not end a run.
            ctx.catch();
            std::future::pending().boxed_local()
        }
    }
}

pub(crate) fn is_aborted<'js>(ctx: &Ctx<'js>, signal: &Value<'js>) -> bool {
    let Some(signal) = signal.as_object() else { return false };
    signal.get::<_, Option<bool>>("aborted").unwrap_or_else(|_| {
        ctx.catch();
        None
    }) == Some(true)
}

fn listen<'js>(ctx: &Ctx<'js>, signal: &Object<'js>) -> Result<Option<Rc<Notify>>> {
    if signal.get::<_, Option<bool>>("aborted")?.unwrap_or(false) {
        return Ok(None);
    }
    let notify = Rc::new(Notify::new());
    let woken = notify.clone();
    // `notify_one` stores a permit, so an abort before the first wait is not lost.
    let listener = Function::new(ctx.clone(), move || woken.notify_one())?;
    let add: Function = signal.get("addEventListener")?;
    add.call::<_, ()>((This(signal.clone()), "abort", listener))?;
    Ok(Some(notify))
}
