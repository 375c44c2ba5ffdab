//! Results of system calls and children as plain objects; JavaScript makes the errors, so that these have the caller's
//! stack.

use std::process::ExitStatus;

use rquickjs::{Ctx, Object, Result, Value};

use crate::system_error::SystemError;

/// `{code, number}` of a failure, undefined otherwise.
pub(super) fn failure_or_undefined<'js>(ctx: &Ctx<'js>, result: std::io::Result<()>) -> Result<Value<'js>> {
    let Err(error) = result else { return Ok(Value::new_undefined(ctx.clone())) };
    Ok(failure_object(ctx, &error)?.into_value())
}

/// `{code, number}`.
pub(super) fn failure_object<'js>(ctx: &Ctx<'js>, error: &std::io::Error) -> Result<Object<'js>> {
    let SystemError { code, number, .. } = SystemError::of(error);
    let object = Object::new(ctx.clone())?;
    object.set("code", code)?;
    object.set("number", number)?;
    Ok(object)
}

/// `[code, signal]` of a child that has ended; one of them is null.
pub(super) fn exit_status(status: ExitStatus) -> (Option<i32>, Option<i32>) {
    #[cfg(unix)]
    return (status.code(), std::os::unix::process::ExitStatusExt::signal(&status));
    #[cfg(not(unix))]
    return (status.code(), None);
}
