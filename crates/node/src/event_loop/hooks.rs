//! Calls the script's listeners of `exit`, `uncaughtException` and similar events, which `lmthing:internal/process` stores.

use std::cell::RefCell;

use rquickjs::function::IntoArgs;
use rquickjs::{Ctx, Error, FromJs, Function, JsLifetime, Object, Result, Value};

use super::state::{EventLoop, HaltHandler};
use crate::user_data;

/// `{uncaught, rejected, beforeExit, exit, isUnhandled}`, once the script has added a listener.
#[derive(Default, JsLifetime)]
struct Hooks<'js>(RefCell<Option<Object<'js>>>);

pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Hooks::default())
}

/// Called once, by `lmthing:internal/process`.
pub fn set_hooks<'js>(ctx: &Ctx<'js>, hooks: Object<'js>) -> Result<()> {
    user_data::read::<Hooks>(ctx)?.0.replace(Some(hooks));
    Ok(())
}

/// Passes what would end the run to `handler`; the run continues.
pub fn set_halt_handler(ctx: &Ctx<'_>, handler: HaltHandler) -> Result<()> {
    EventLoop::of(ctx)?.set_halt_handler(handler);
    Ok(())
}

fn call<'js, A: IntoArgs<'js>, T: FromJs<'js>>(ctx: &Ctx<'js>, name: &str, arguments: A) -> Result<Option<T>> {
    let hooks = user_data::read::<Hooks>(ctx)?.0.borrow().clone();
    match hooks {
        Some(hooks) => hooks.get::<_, Function>(name)?.call(arguments).map(Some),
        None => Ok(None),
    }
}

/// Where an uncaught exception was thrown.
#[derive(Clone, Copy)]
pub enum Origin {
    Call,
    Promise,
}

impl Origin {
    /// Node's `origin` argument.
    fn name(self) -> &'static str {
        match self {
            Origin::Call => "uncaughtException",
            Origin::Promise => "unhandledRejection",
        }
    }
}

/// Calls the listeners of an uncaught exception that ends the run with `code`. Returns the error that ends the run, which
/// may be one of a listener; `None` if a listener handled the exception.
pub fn emit_uncaught<'js>(ctx: &Ctx<'js>, error: Error, origin: Origin, code: i32) -> Option<Error> {
    // An interrupted script has thrown nothing.
    if !matches!(error, Error::Exception) || EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.is_late()) {
        return Some(error);
    }
    let thrown = ctx.catch();
    remaining_error(ctx, call(ctx, "uncaught", (thrown.clone(), origin.name(), code)), thrown)
}

/// Whether no listener handled an uncaught exception. Listeners of `exit` have already been called with its code then.
pub fn is_exception_unhandled(ctx: &Ctx<'_>) -> bool {
    let hooks = user_data::read::<Hooks>(ctx).ok().and_then(|hooks| hooks.0.borrow().clone());
    hooks.is_some_and(|hooks| hooks.get("isUnhandled").unwrap_or(false))
}

/// Calls the listeners of an unhandled rejection. Returns the error that ends the run, if it is not handled.
pub(super) fn emit_rejected<'js>(ctx: &Ctx<'js>, reason: Value<'js>, promise: Value<'js>) -> Option<Error> {
    remaining_error(ctx, call(ctx, "rejected", (reason.clone(), promise)), reason)
}

fn remaining_error<'js>(ctx: &Ctx<'js>, is_handled: Result<Option<bool>>, thrown: Value<'js>) -> Option<Error> {
    match is_handled {
        Ok(Some(true)) => None,
        Ok(_) => Some(ctx.throw(thrown)),
        // `process.exit` in a listener returns an error here.
        Err(error) => (!EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.is_halted())).then_some(error),
    }
}

/// Calls the listeners of `beforeExit`, which may start more work.
pub fn emit_before_exit(ctx: &Ctx<'_>) -> Result<()> {
    call::<_, Value>(ctx, "beforeExit", ()).map(drop)
}

/// Calls the listeners of `exit` with this code, once. Returns the exit code that they leave.
pub fn emit_exit(ctx: &Ctx<'_>, code: i32) -> Result<i32> {
    Ok(call(ctx, "exit", (code,))?.unwrap_or(code))
}
