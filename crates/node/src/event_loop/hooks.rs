//! Who wants to hear how a script ends: the script itself (`process.on('exit')`, `'uncaughtException'` and their like, whose
//! listeners JavaScript keeps, in `lmthing:internal/process`), or a host that has the run go on.

use std::cell::RefCell;

use rquickjs::function::IntoArgs;
use rquickjs::{Ctx, Error, FromJs, Function, JsLifetime, Object, Result, Value};

use super::state::{Catcher, EventLoop};
use crate::user_data;

/// `{uncaught, rejected, beforeExit, exit, unheeded}`, once a script has listened to anything.
#[derive(Default, JsLifetime)]
struct Hooks<'js>(RefCell<Option<Object<'js>>>);

/// Part of making an engine.
pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Hooks::default())
}

/// Registers the functions; called once, by `lmthing:internal/process`.
pub fn set_hooks<'js>(ctx: &Ctx<'js>, hooks: Object<'js>) -> Result<()> {
    user_data::read::<Hooks>(ctx)?.0.replace(Some(hooks));
    Ok(())
}

/// Has `catcher` told what would end the run: it goes on.
pub fn catch_ends(ctx: &Ctx<'_>, catcher: Catcher) -> Result<()> {
    EventLoop::of(ctx)?.set_catcher(catcher);
    Ok(())
}

/// Calls a hook; `None` without one.
fn call<'js, A: IntoArgs<'js>, T: FromJs<'js>>(ctx: &Ctx<'js>, name: &str, arguments: A) -> Result<Option<T>> {
    let hooks = user_data::read::<Hooks>(ctx)?.0.borrow().clone();
    match hooks {
        Some(hooks) => hooks.get::<_, Function>(name)?.call(arguments).map(Some),
        None => Ok(None),
    }
}

/// Where an exception came from that nobody caught, in Node's words.
#[derive(Clone, Copy)]
pub enum Origin {
    Call,
    Promise,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Origin::Call => "uncaughtException",
            Origin::Promise => "unhandledRejection",
        }
    }
}

/// Tells listeners of an exception nobody caught, which ends the run with `code`. Gives back what ends the run, if it is
/// to end: this exception, or the one of a listener.
pub fn tell_uncaught<'js>(ctx: &Ctx<'js>, error: Error, origin: Origin, code: i32) -> Option<Error> {
    // A script that was interrupted has thrown nothing.
    if !matches!(error, Error::Exception) || EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.is_late()) {
        return Some(error);
    }
    let thrown = ctx.catch();
    outcome(ctx, call(ctx, "uncaught", (thrown.clone(), origin.name(), code)), thrown)
}

/// Whether there was an exception that no listener wanted; listeners of `exit` have heard of its code by then.
pub fn is_unheeded(ctx: &Ctx<'_>) -> bool {
    let hooks = user_data::read::<Hooks>(ctx).ok().and_then(|hooks| hooks.0.borrow().clone());
    hooks.is_some_and(|hooks| hooks.get("unheeded").unwrap_or(false))
}

/// Tells listeners of a rejection nobody handled; gives back what ends the run, if it is to end.
pub(super) fn tell_rejected<'js>(ctx: &Ctx<'js>, reason: Value<'js>, promise: Value<'js>) -> Option<Error> {
    outcome(ctx, call(ctx, "rejected", (reason.clone(), promise)), reason)
}

fn outcome<'js>(ctx: &Ctx<'js>, told: Result<Option<bool>>, thrown: Value<'js>) -> Option<Error> {
    match told {
        Ok(Some(true)) => None,
        Ok(_) => Some(ctx.throw(thrown)),
        // `process.exit` in a listener looks like an error here.
        Err(error) => (!EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.is_halted())).then_some(error),
    }
}

/// Tells listeners of `beforeExit` that nothing is left to do; they may find something.
pub fn tell_before_exit(ctx: &Ctx<'_>) -> Result<()> {
    call::<_, Value>(ctx, "beforeExit", ()).map(drop)
}

/// Tells listeners of `exit` that the run ends with this code, unless they have heard. Gives the code they leave.
pub fn tell_exit(ctx: &Ctx<'_>, code: i32) -> Result<i32> {
    Ok(call(ctx, "exit", (code,))?.unwrap_or(code))
}
