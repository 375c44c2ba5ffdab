//! Where natives ask whether a script may do what they are about to do, and where refusals are remembered: whatever the script
//! makes of one, it was one. Must not know what is allowed.

use std::cell::RefCell;

use rquickjs::{Ctx, JsLifetime, Object, Result};

use super::{ScriptError, diagnose::diagnose, user_data};
use lmthing_base::{
    diagnostic::Location,
    permission::{Access, AccessDenied, Permissions},
};

/// Something a script tried and was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What, and why.
    pub message: String,
    /// Where it was tried, when that is known.
    pub location: Option<Location>,
}

#[derive(JsLifetime)]
struct Gate {
    permissions: Permissions,
    refused: RefCell<Vec<Refused>>,
    /// Where the script ended itself.
    exit: RefCell<Option<Location>>,
}

/// Part of making an engine.
pub fn set_up(ctx: &Ctx<'_>, permissions: Permissions) -> Result<()> {
    // Without a gate nothing is asked.
    if permissions.allow_all() {
        return Ok(());
    }
    user_data::store(ctx, Gate { permissions, refused: RefCell::default(), exit: RefCell::default() })
}

/// Whether nothing at all is refused.
pub fn is_open(ctx: &Ctx<'_>) -> bool {
    ctx.userdata::<Gate>().is_none()
}

/// Whether the process is the script's own: it runs, and nobody only looks at it or tests it.
pub fn owns_process(ctx: &Ctx<'_>) -> bool {
    ctx.userdata::<Gate>().is_none_or(|gate| gate.permissions.may_change_process())
}

/// The rights of a script that is restricted.
pub fn restricted(ctx: &Ctx<'_>) -> Option<Permissions> {
    let gate = ctx.userdata::<Gate>()?;
    gate.permissions.restricted_rights().is_some().then(|| gate.permissions.clone())
}

/// Throws a `PermissionError` when that may not be done.
pub fn check(ctx: &Ctx<'_>, access: Access<'_>) -> Result<()> {
    match refusal(ctx, access)? {
        Some(error) => Err(ctx.throw(error.into_value())),
        None => Ok(()),
    }
}

/// Throws when one of these variables makes another program of the one that a restricted script starts.
pub fn check_variables<'a>(ctx: &Ctx<'_>, mut names: impl Iterator<Item = &'a String>) -> Result<()> {
    match names.find(|name| name.starts_with("LD_") || name.starts_with("DYLD_")) {
        Some(name) if restricted(ctx).is_some() => {
            check(ctx, Access::Signal(&format!("starting a program with {name}")))
        }
        _ => Ok(()),
    }
}

/// The `PermissionError` of what may not be done, to reject a promise with. To be asked for in the call itself, as long as
/// it is known who calls.
pub fn refusal<'js>(ctx: &Ctx<'js>, access: Access<'_>) -> Result<Option<Object<'js>>> {
    let refusal = match ctx.userdata::<Gate>() {
        Some(gate) => gate.permissions.check(access).err(),
        None => return Ok(None),
    };
    refusal.map(|refusal| refused_error(ctx, refusal)).transpose()
}

/// Throws the `PermissionError` of what was refused.
pub fn throw(ctx: &Ctx<'_>, refusal: AccessDenied) -> rquickjs::Error {
    refused_error(ctx, refusal).map_or_else(|error| error, |error| ctx.throw(error.into_value()))
}

/// The `PermissionError` of what was refused.
pub fn refused_error<'js>(ctx: &Ctx<'js>, refusal: AccessDenied) -> Result<Object<'js>> {
    let error = ScriptError::error(refusal.message.clone()).name("PermissionError").code("ERR_ACCESS_DENIED");
    let error = error.into_object(ctx)?;
    let location = diagnose(ctx, error.clone().into_value()).diagnostic.location;
    let refused = Refused { message: refusal.message, location };
    if let Some(gate) = ctx.userdata::<Gate>()
        && !gate.refused.borrow().contains(&refused)
    {
        gate.refused.borrow_mut().push(refused);
    }
    Ok(error)
}

/// What was refused so far, each once.
pub fn refused(ctx: &Ctx<'_>) -> Vec<Refused> {
    ctx.userdata::<Gate>().map(|gate| gate.refused.borrow().clone()).unwrap_or_default()
}

/// Remembers the line that calls `process.exit`, where somebody asks for such things.
pub fn note_exit(ctx: &Ctx<'_>) -> Result<()> {
    if owns_process(ctx) {
        return Ok(());
    }
    let here = ScriptError::error("exit:").into_object(ctx)?;
    let location = diagnose(ctx, here.into_value()).diagnostic.location;
    if let (Some(gate), Some(location)) = (ctx.userdata::<Gate>(), location) {
        gate.exit.borrow_mut().replace(location);
    }
    Ok(())
}

/// Where the script called `process.exit`, when it did and that is known.
pub fn exit_location(ctx: &Ctx<'_>) -> Option<Location> {
    ctx.userdata::<Gate>()?.exit.borrow().clone()
}

#[cfg(test)]
mod tests;
