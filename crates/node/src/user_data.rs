//! State of one area of `script` for the life of an engine, stored by its own type.

use std::any::Any;

use rquickjs::runtime::UserDataGuard;
use rquickjs::{Ctx, Exception, JsLifetime, Result};

/// Stores `value`.
///
/// # Errors When a value is being read: the store cannot grow then. A value that is set later needs a `RefCell` inside
/// its type.
pub fn store<'js, T>(ctx: &Ctx<'js>, value: T) -> Result<()>
where
    T: JsLifetime<'js>,
    T::Changed<'static>: Any,
{
    ctx.store_userdata(value).map(drop).map_err(|_| Exception::throw_internal(ctx, "user data is in use"))
}

/// Reads a stored value. Drop the guard before running any script.
pub fn read<'a, 'js, T>(ctx: &'a Ctx<'js>) -> Result<UserDataGuard<'a, T>>
where
    T: JsLifetime<'js>,
    T::Changed<'static>: Any,
{
    ctx.userdata().ok_or_else(|| Exception::throw_internal(ctx, "the engine is not set up"))
}
