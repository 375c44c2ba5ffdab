//! The engine's promise hook: notes the activity of promises, follows them for `AsyncLocalStorage`, and interrupts endless
//! chains of promises.

use std::cell::{Cell, RefCell};

use rquickjs::promise::PromiseHookType;
use rquickjs::runtime::PromiseHook;
use rquickjs::{Ctx, Function, JsLifetime, Result};

use crate::user_data;

thread_local! {
    static IS_LATE: Cell<bool> = const { Cell::new(false) };
    /// Whether any engine of this thread has a follower.
    static IS_FOLLOWED: Cell<bool> = const { Cell::new(false) };
}

/// `follow(isNew, promise)`, once a script uses `AsyncLocalStorage`.
#[derive(Default, JsLifetime)]
struct Follower<'js>(RefCell<Option<Function<'js>>>);

pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Follower::default())
}

/// Calls `follow(isNew, promise)` for each promise that is created (`true`) or resolved (`false`).
pub fn follow_promises<'js>(ctx: &Ctx<'js>, follow: Function<'js>) -> Result<()> {
    user_data::read::<Follower>(ctx)?.0.replace(Some(follow));
    IS_FOLLOWED.set(true);
    Ok(())
}

/// Sets whether a script of this thread was interrupted and may still be running.
pub(super) fn set_late(is_late: bool) {
    IS_LATE.set(is_late);
}

/// Makes an extra call at random. The engine checks for interrupts at every ten thousandth call. In an endless chain of
/// promises whose links all make the same calls, it would always check at the same call, whose interruption may not break
/// the chain.
fn shift_interrupt_check(ctx: &Ctx<'_>) {
    if !fastrand::bool() {
        return;
    }
    let called = Function::new(ctx.clone(), || ()).and_then(|nothing| nothing.call::<_, ()>(()));
    if called.is_err() {
        ctx.catch();
    }
}

/// The hook of a runtime. `note_activity` is called for each change of a promise.
pub(super) fn hook(note_activity: impl Fn() + 'static) -> PromiseHook {
    Box::new(move |ctx, kind, promise, _parent| {
        note_activity();
        if IS_LATE.get() {
            shift_interrupt_check(&ctx);
        }
        if !IS_FOLLOWED.get() {
            return;
        }
        let is_new = match kind {
            PromiseHookType::Init => true,
            PromiseHookType::Resolve => false,
            PromiseHookType::Before | PromiseHookType::After => return,
        };
        let follow = ctx.userdata::<Follower>().and_then(|follower| follower.0.borrow().clone());
        if let Some(follow) = follow {
            // The follower runs no code of the script, so it does not fail.
            let _ = follow.call::<_, ()>((is_new, promise));
        }
    })
}
