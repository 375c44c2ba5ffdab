//! Values that asynchronous calls inherit, like the stores of `AsyncLocalStorage`.

use std::{cell::RefCell, pin::pin, task::Poll};

use rquickjs::{
    Ctx, Function, IntoJs, JsLifetime, Object, Result, Value,
    function::{Constructor, This},
};

use super::{builtin::import_builtin, user_data};

/// `lmthing:internal/async-context`, once enabled.
#[derive(Default, JsLifetime)]
struct AsyncContext<'js>(RefCell<Option<Object<'js>>>);

pub(crate) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, AsyncContext::default())
}

/// Calls before this have no values.
pub fn enable_async_values(ctx: &Ctx<'_>) -> Result<()> {
    if async_context(ctx).is_some() {
        return Ok(());
    }
    let module = import_builtin(ctx, "lmthing:internal/async-context")?;
    user_data::read::<AsyncContext>(ctx)?.0.replace(Some(module));
    Ok(())
}

/// The value of `key` in the running call. Scripts cannot set these: the keys of their stores are objects.
pub fn async_value<'js>(ctx: &Ctx<'js>, key: &str) -> Result<Option<Value<'js>>> {
    let Some(async_context) = async_context(ctx) else { return Ok(None) };
    let context: Value = async_context.get::<_, Function>("getContext")?.call(())?;
    get_value(&context, key)
}

/// Runs `work` with these values; `None` removes a key.
pub async fn with_async_values<'js, T, const N: usize>(
    ctx: &Ctx<'js>,
    entries: [(&str, Option<Value<'js>>); N],
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    std::future::poll_fn(|task| {
        // Fails only if memory is exhausted.
        let before = set_values(ctx, &entries).unwrap_or_else(|_| {
            ctx.catch();
            None
        });
        let polled: Poll<T> = work.as_mut().poll(task);
        if let Some(before) = before {
            restore(ctx, before);
        }
        polled
    })
    .await
}

fn async_context<'js>(ctx: &Ctx<'js>) -> Option<Object<'js>> {
    ctx.userdata::<AsyncContext>().and_then(|context| context.0.borrow().clone())
}

fn get_value<'js>(context: &Value<'js>, key: &str) -> Result<Option<Value<'js>>> {
    let Some(stores) = context.as_object() else { return Ok(None) };
    let value: Value = stores.get::<_, Function>("get")?.call((This(stores.clone()), key))?;
    Ok(Some(value).filter(|value| !value.is_undefined()))
}

/// Sets the values; returns the previous context if that differs.
fn set_values<'js>(ctx: &Ctx<'js>, entries: &[(&str, Option<Value<'js>>)]) -> Result<Option<Value<'js>>> {
    let Some(async_context) = async_context(ctx) else { return Ok(None) };
    let before: Value = async_context.get::<_, Function>("getContext")?.call(())?;
    let mut changes = false;
    for (key, value) in entries {
        changes |= get_value(&before, key)? != *value;
    }
    if !changes {
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
    async_context.get::<_, Function>("setContext")?.call::<_, ()>((stores,))?;
    Ok(Some(before))
}

fn restore<'js>(ctx: &Ctx<'js>, before: Value<'js>) {
    let Some(async_context) = async_context(ctx) else { return };
    let restored =
        async_context.get::<_, Function>("setContext").and_then(|set| set.call::<_, ()>((before.into_js(ctx),)));
    if restored.is_err() {
        ctx.catch();
    }
}
