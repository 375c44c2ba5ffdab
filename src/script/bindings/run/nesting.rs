//! Which file's prompt a script works for just now, when files run files: how deep they are nested, and what `'mock'` means
//! to them.
//!
//! The prompt is carried along as `AsyncLocalStorage` carries its stores, beside them. Nothing of this is there before a
//! file runs another.

use std::{pin::pin, task::Poll};

use rquickjs::{Class, Ctx, Function, IntoJs, JsLifetime, Object, Result, Value, function::This};

use crate::script::{
    bindings::{
        prompt::object::{PromptObject, StatefulPrompt},
        values::{plain_error, type_error},
    },
    import_builtin,
};

/// How deep files may run files: one that runs itself has to end some time.
const MAX_DEPTH: usize = 16;

/// The module that carries contexts along, once it is needed.
#[derive(Default, JsLifetime)]
struct Carrier<'js>(std::cell::RefCell<Option<Object<'js>>>);

/// The key of the prompt in a context. No storage of a script's is a text.
const KEY: &str = "lmthing:prompt";

/// Part of preparing an engine.
pub(super) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let stored = ctx.store_userdata(Carrier::default());
    stored.map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

fn carrier<'js>(ctx: &Ctx<'js>) -> Option<Object<'js>> {
    ctx.userdata::<Carrier>().and_then(|kept| kept.0.borrow().clone())
}

/// Begins to carry along; everything before belongs to the file that the program was started with.
fn begin(ctx: &Ctx<'_>) -> Result<()> {
    if carrier(ctx).is_some() {
        return Ok(());
    }
    let module = import_builtin(ctx, "lmthing:internal/async-context")?;
    if let Some(kept) = ctx.userdata::<Carrier>() {
        kept.0.replace(Some(module));
    }
    Ok(())
}

/// The prompt that the script which is running works for; none within the file that the program was started with.
pub(super) fn current<'js>(ctx: &Ctx<'js>) -> Result<Option<PromptObject<'js>>> {
    let Some(carrier) = carrier(ctx) else { return Ok(None) };
    let context: Value = carrier.get::<_, Function>("getContext")?.call(())?;
    let Some(context) = context.as_object() else { return Ok(None) };
    let found: Value = context.get::<_, Function>("get")?.call((This(context.clone()), KEY))?;
    Ok(found.as_object().and_then(Class::<StatefulPrompt>::from_object))
}

/// How deep a file is nested that the running script runs. To be asked in the call itself: from the next `await` on, who
/// called is known only if it was carried along.
pub(super) fn next_depth(ctx: &Ctx<'_>) -> Result<usize> {
    begin(ctx)?;
    Ok(current(ctx)?.map_or(0, |prompt| prompt.borrow().core.files.get()) + 1)
}

/// Throws when a file would be nested too deep.
pub(super) fn check(ctx: &Ctx<'_>, depth: usize, what: &str) -> Result<()> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    Err(type_error(
        ctx,
        format!(
            "{what} would be nested {depth} deep in runs of other files; the limit is {MAX_DEPTH}. Does it run itself?"
        ),
    ))
}

/// Does a piece of work for a prompt: what scripts begin meanwhile belongs to it.
pub(super) async fn within<'js, T>(prompt: &PromptObject<'js>, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let ctx = prompt.ctx().clone();
    std::future::poll_fn(|task| {
        // A prompt of the outermost file carries nothing.
        let is_nested = prompt.borrow().core.files.get() > 0;
        let before = if is_nested { enter(&ctx, prompt) } else { None };
        let polled: Poll<T> = work.as_mut().poll(task);
        if let Some(before) = before {
            leave(&ctx, before);
        }
        polled
    })
    .await
}

/// Makes the prompt the current one; gives the context that was there before.
fn enter<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Option<Value<'js>> {
    let entered = || -> Result<Value<'js>> {
        let carrier = carrier(ctx).ok_or_else(|| plain_error(ctx, "nothing is carried along"))?;
        let before: Value = carrier.get::<_, Function>("getContext")?.call(())?;
        let stores: rquickjs::function::Constructor = ctx.globals().get("Map")?;
        let stores: Object = stores.construct((before.clone(),))?;
        stores.get::<_, Function>("set")?.call::<_, Value>((This(stores.clone()), KEY, prompt.clone()))?;
        carrier.get::<_, Function>("setContext")?.call::<_, ()>((stores,))?;
        Ok(before)
    };
    entered().inspect_err(|_| drop(ctx.catch())).ok()
}

fn leave<'js>(ctx: &Ctx<'js>, before: Value<'js>) {
    let Some(carrier) = carrier(ctx) else { return };
    let left = carrier.get::<_, Function>("setContext").and_then(|set| set.call::<_, ()>((before.into_js(ctx),)));
    if left.is_err() {
        ctx.catch();
    }
}
