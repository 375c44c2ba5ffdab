//! What an area of `script` keeps for the whole engine: one value of a type of its own. The area stores it while the engine
//! is made and reads it through its own accessor; no area reads another's.

use std::any::Any;

use rquickjs::runtime::UserDataGuard;
use rquickjs::{Ctx, Exception, JsLifetime, Result};

/// Keeps `value`.
///
/// # Errors
/// When something that is kept is being read: the store cannot grow then. Values that come late need a `RefCell` of theirs.
pub(super) fn store<'js, T>(ctx: &Ctx<'js>, value: T) -> Result<()>
where
    T: JsLifetime<'js>,
    T::Changed<'static>: Any,
{
    ctx.store_userdata(value).map(drop).map_err(|_| Exception::throw_internal(ctx, "user data is in use"))
}

/// What was kept. Let go of it before running any script.
pub(super) fn read<'a, 'js, T>(ctx: &'a Ctx<'js>) -> Result<UserDataGuard<'a, T>>
where
    T: JsLifetime<'js>,
    T::Changed<'static>: Any,
{
    ctx.userdata().ok_or_else(|| Exception::throw_internal(ctx, "the engine is not set up"))
}
