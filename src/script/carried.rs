//! What asynchronous calls of a script carry along, as `AsyncLocalStorage` carries its stores, and beside them. Nothing of this
//! is there before it is begun. Must not know what is carried.

use std::{cell::RefCell, pin::pin, task::Poll};

use rquickjs::{
    Ctx, Function, IntoJs, JsLifetime, Object, Result, Value,
    function::{Constructor, This},
};

use super::{builtin::import_builtin, user_data};

/// The module that carries contexts along, once it is needed.
#[derive(Default, JsLifetime)]
struct Carrier<'js>(RefCell<Option<Object<'js>>>);

/// Part of making an engine.
pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Carrier::default())
}

/// Begins to carry along; what was called before carries nothing.
pub(crate) fn begin(ctx: &Ctx<'_>) -> Result<()> {
    if carrier(ctx).is_some() {
        return Ok(());
    }
    let module = import_builtin(ctx, "lmthing:internal/async-context")?;
    user_data::read::<Carrier>(ctx)?.0.replace(Some(module));
    Ok(())
}

/// What the call that is running carries under a key. No storage of a script's has a text for its key.
pub(crate) fn carried<'js>(ctx: &Ctx<'js>, key: &str) -> Result<Option<Value<'js>>> {
    let Some(carrier) = carrier(ctx) else { return Ok(None) };
    let context: Value = carrier.get::<_, Function>("getContext")?.call(())?;
    found(&context, key)
}

/// Does a piece of work whose calls carry these values along, and nothing under a key without one.
pub(crate) async fn carrying<'js, T, const N: usize>(
    ctx: &Ctx<'js>,
    entries: [(&str, Option<Value<'js>>); N],
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    std::future::poll_fn(|task| {
        // A failure is one for want of memory.
        let before = enter(ctx, &entries).unwrap_or_else(|_| {
            ctx.catch();
            None
        });
        let polled: Poll<T> = work.as_mut().poll(task);
        if let Some(before) = before {
            leave(ctx, before);
        }
        polled
    })
    .await
}

fn carrier<'js>(ctx: &Ctx<'js>) -> Option<Object<'js>> {
    ctx.userdata::<Carrier>().and_then(|kept| kept.0.borrow().clone())
}

fn found<'js>(context: &Value<'js>, key: &str) -> Result<Option<Value<'js>>> {
    let Some(stores) = context.as_object() else { return Ok(None) };
    let found: Value = stores.get::<_, Function>("get")?.call((This(stores.clone()), key))?;
    Ok(Some(found).filter(|found| !found.is_undefined()))
}

/// Puts the values in place; gives the context that was there before, when it was another.
fn enter<'js>(ctx: &Ctx<'js>, entries: &[(&str, Option<Value<'js>>)]) -> Result<Option<Value<'js>>> {
    let Some(carrier) = carrier(ctx) else { return Ok(None) };
    let before: Value = carrier.get::<_, Function>("getContext")?.call(())?;
    let mut is_other = false;
    for (key, value) in entries {
        is_other |= found(&before, key)? != *value;
    }
    if !is_other {
        return Ok(None);
    }
    let stores: Constructor = ctx.globals().get("Map")?;
    let stores: Object = stores.construct((before.clone(),))?;
    for (key, value) in entries {
        match value {
            Some(value) => {
                stores.get::<_, Function>("set")?.call::<_, Value>((This(stores.clone()), *key, value.clone()))?
            }
            None => stores.get::<_, Function>("delete")?.call::<_, Value>((This(stores.clone()), *key))?,
        };
    }
    carrier.get::<_, Function>("setContext")?.call::<_, ()>((stores,))?;
    Ok(Some(before))
}

fn leave<'js>(ctx: &Ctx<'js>, before: Value<'js>) {
    let Some(carrier) = carrier(ctx) else { return };
    let left = carrier.get::<_, Function>("setContext").and_then(|set| set.call::<_, ()>((before.into_js(ctx),)));
    if left.is_err() {
        ctx.catch();
    }
}
