//! Values that are stored in an engine by type.

use std::any::Any;

use rquickjs::runtime::UserDataGuard;
use rquickjs::{Ctx, Exception, JsLifetime, Result};

/// Stores `value`. Fails while another value is read.
pub fn store<'js, T>(ctx: &Ctx<'js>, value: T) -> Result<()>
where
    T: JsLifetime<'js>,
    T::Changed<'static>: Any,
{
    ctx.store_userdata(value).map(drop).map_err(|_| Exception::throw_internal(ctx, "user data is in use"))
}

/// Reads a stored value. The guard must be dropped before a script runs.
pub fn read<'a, 'js, T>(ctx: &'a Ctx<'js>) -> Result<UserDataGuard<'a, T>>
where
    T: JsLifetime<'js>,
    T::Changed<'static>: Any,
{
    ctx.userdata().ok_or_else(|| Exception::throw_internal(ctx, "the engine is not set up"))
}
