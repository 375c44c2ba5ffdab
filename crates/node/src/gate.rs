//! Permission checks of native functions, and a record of what was denied.

use std::cell::RefCell;

use rquickjs::{Ctx, JsLifetime, Object, Result};

use super::{ScriptError, diagnose::diagnose, user_data};
use lmthing_base::{
    diagnostic::Location,
    permission::{Access, AccessDenied, Permissions},
};

/// An access that was denied, also if the script caught the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeniedAccess {
    pub message: String,
    pub location: Option<Location>,
}

#[derive(JsLifetime)]
struct Gate {
    permissions: Permissions,
    denied: RefCell<Vec<DeniedAccess>>,
    exit_location: RefCell<Option<Location>>,
}

pub fn set_up(ctx: &Ctx<'_>, permissions: Permissions) -> Result<()> {
    if permissions.allow_all() {
        return Ok(());
    }
    user_data::store(ctx, Gate { permissions, denied: RefCell::default(), exit_location: RefCell::default() })
}

pub fn allows_all(ctx: &Ctx<'_>) -> bool {
    ctx.userdata::<Gate>().is_none()
}

/// Whether the script may change the state of the process. False if it is only inspected or tested.
pub fn may_change_process(ctx: &Ctx<'_>) -> bool {
    ctx.userdata::<Gate>().is_none_or(|gate| gate.permissions.may_change_process())
}

/// The permissions of a restricted script; `None` for others.
pub fn restricted(ctx: &Ctx<'_>) -> Option<Permissions> {
    let gate = ctx.userdata::<Gate>()?;
    gate.permissions.restricted_rights().is_some().then(|| gate.permissions.clone())
}

/// Throws a `PermissionError` if the access is denied.
pub fn check(ctx: &Ctx<'_>, access: Access<'_>) -> Result<()> {
    match denied_error(ctx, access)? {
        Some(error) => Err(ctx.throw(error.into_value())),
        None => Ok(()),
    }
}

/// Throws if a restricted script passes variables of the dynamic linker to a program. They can load other code into it.
pub fn check_variables<'a>(ctx: &Ctx<'_>, mut names: impl Iterator<Item = &'a String>) -> Result<()> {
    match names.find(|name| name.starts_with("LD_") || name.starts_with("DYLD_")) {
        Some(name) if restricted(ctx).is_some() => {
            check(ctx, Access::Signal(&format!("starting a program with {name}")))
        }
        _ => Ok(()),
    }
}

/// The `PermissionError` to reject a promise with, if the access is denied. Must be called synchronously by the native
/// function, while its caller is on the stack.
pub fn denied_error<'js>(ctx: &Ctx<'js>, access: Access<'_>) -> Result<Option<Object<'js>>> {
    let denied = match ctx.userdata::<Gate>() {
        Some(gate) => gate.permissions.check(access).err(),
        None => return Ok(None),
    };
    denied.map(|denied| permission_error(ctx, denied)).transpose()
}

/// Throws the `PermissionError` of a denied access.
pub fn throw_denied(ctx: &Ctx<'_>, denied: AccessDenied) -> rquickjs::Error {
    permission_error(ctx, denied).map_or_else(|error| error, |error| ctx.throw(error.into_value()))
}

/// Records a denied access and returns its `PermissionError`.
pub fn permission_error<'js>(ctx: &Ctx<'js>, denied: AccessDenied) -> Result<Object<'js>> {
    let error = ScriptError::error(denied.message.clone()).name("PermissionError").code("ERR_ACCESS_DENIED");
    let error = error.into_object(ctx)?;
    let location = diagnose(ctx, error.clone().into_value()).diagnostic.location;
    let access = DeniedAccess { message: denied.message, location };
    if let Some(gate) = ctx.userdata::<Gate>()
        && !gate.denied.borrow().contains(&access)
    {
        gate.denied.borrow_mut().push(access);
    }
    Ok(error)
}

/// The denied accesses so far, without duplicates.
pub fn denied_accesses(ctx: &Ctx<'_>) -> Vec<DeniedAccess> {
    ctx.userdata::<Gate>().map(|gate| gate.denied.borrow().clone()).unwrap_or_default()
}

/// Records the line that calls `process.exit`, in scripts that may not end the process.
pub fn record_exit_location(ctx: &Ctx<'_>) -> Result<()> {
    if may_change_process(ctx) {
        return Ok(());
    }
    let here = ScriptError::error("exit:").into_object(ctx)?;
    let location = diagnose(ctx, here.into_value()).diagnostic.location;
    if let (Some(gate), Some(location)) = (ctx.userdata::<Gate>(), location) {
        gate.exit_location.borrow_mut().replace(location);
    }
    Ok(())
}

/// Where the script called `process.exit`, if known.
pub fn exit_location(ctx: &Ctx<'_>) -> Option<Location> {
    ctx.userdata::<Gate>()?.exit_location.borrow().clone()
}

#[cfg(test)]
mod tests;
