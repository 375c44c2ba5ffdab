//! What the engine tells of promises: for `AsyncLocalStorage`, and to break chains of promises without an end. Until a script uses the
//! one or is the other, each promise costs a look at two flags.

use std::cell::{Cell, RefCell};

use rquickjs::promise::PromiseHookType;
use rquickjs::runtime::PromiseHook;
use rquickjs::{Ctx, Function, JsLifetime, Result};

use crate::user_data;

thread_local! {
    /// Whether a script of this thread was interrupted that runs too long.
    static LATE: Cell<bool> = const { Cell::new(false) };
    /// Whether any engine of this thread has a listener.
    static FOLLOWED: Cell<bool> = const { Cell::new(false) };
}

/// `follow(isNew, promise)`, once a script uses `AsyncLocalStorage`.
#[derive(Default, JsLifetime)]
struct Follower<'js>(RefCell<Option<Function<'js>>>);

/// Part of making an engine.
pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Follower::default())
}

/// Has `follow(isNew, promise)` called for each promise that is made (`true`) or fulfilled (`false`).
pub fn follow_promises<'js>(ctx: &Ctx<'js>, follow: Function<'js>) -> Result<()> {
    user_data::read::<Follower>(ctx)?.0.replace(Some(follow));
    FOLLOWED.set(true);
    Ok(())
}

/// A script was interrupted because it runs too long, or there is none any more that does.
pub(super) fn set_late(is_late: bool) {
    LATE.set(is_late);
}

/// The engine asks whether to interrupt at every ten thousandth call. A chain of promises without an end, each of whose links makes
/// the same calls, would be asked at the same of them for ever, which may be one that does not break the chain. A call more
/// now and then, and it is asked at each.
fn fall_out_of_step(ctx: &Ctx<'_>) {
    if !fastrand::bool() {
        return;
    }
    let called = Function::new(ctx.clone(), || ()).and_then(|nothing| nothing.call::<_, ()>(()));
    if called.is_err() {
        ctx.catch();
    }
}

/// The engine's callback, in the middle of JavaScript.
pub(super) fn hook() -> PromiseHook {
    Box::new(|ctx, kind, promise, _parent| {
        if LATE.get() {
            fall_out_of_step(&ctx);
        }
        if !FOLLOWED.get() {
            return;
        }
        let is_new = match kind {
            PromiseHookType::Init => true,
            PromiseHookType::Resolve => false,
            PromiseHookType::Before | PromiseHookType::After => return,
        };
        let follow = ctx.userdata::<Follower>().and_then(|follower| follower.0.borrow().clone());
        if let Some(follow) = follow {
            // It only keeps notes.
            let _ = follow.call::<_, ()>((is_new, promise));
        }
    })
}
