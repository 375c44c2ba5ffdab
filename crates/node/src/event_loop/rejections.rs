//! Collects rejected promises without a handler. A handler may still be added in the same turn, so the event loop reports
//! them only after all jobs have run.

use std::cell::RefCell;

use rquickjs::{Ctx, JsLifetime, Promise, Result, Value};

use crate::user_data;

/// Oldest first.
#[derive(Default, JsLifetime)]
struct Rejections<'js>(RefCell<Vec<Rejection<'js>>>);

#[derive(JsLifetime)]
struct Rejection<'js> {
    promise: Value<'js>,
    reason: Value<'js>,
}

pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Rejections::default())
}

/// The engine's callback: `handled` is false when a promise is rejected without a handler, true when it gets one later.
pub(super) fn track<'js>(ctx: &Ctx<'js>, promise: Value<'js>, reason: Value<'js>, handled: bool) {
    let Some(rejections) = ctx.userdata::<Rejections>() else { return };
    if handled {
        rejections.0.borrow_mut().retain(|pending| pending.promise != promise);
    } else {
        rejections.0.borrow_mut().push(Rejection { promise, reason });
    }
}

/// Marks `promise` as handled by Rust, which the engine cannot know.
pub(super) fn forget<'js>(ctx: &Ctx<'js>, promise: &Promise<'js>) {
    if let Some(rejections) = ctx.userdata::<Rejections>() {
        rejections.0.borrow_mut().retain(|pending| pending.promise != *promise.as_value());
    }
}

pub(super) fn any(ctx: &Ctx<'_>) -> bool {
    ctx.userdata::<Rejections>().is_some_and(|rejections| !rejections.0.borrow().is_empty())
}

/// Takes the reason and promise of the oldest rejection.
pub(super) fn take_first<'js>(ctx: &Ctx<'js>) -> Option<(Value<'js>, Value<'js>)> {
    let rejections = ctx.userdata::<Rejections>()?;
    let mut pending = rejections.0.borrow_mut();
    if pending.is_empty() {
        return None;
    }
    let Rejection { promise, reason } = pending.remove(0);
    Some((reason, promise))
}
