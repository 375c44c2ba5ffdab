//! What became of a call of the system or of a child, in the form that the JavaScript halves take. They make the errors, so
//! that these have the caller's stack.

use std::process::ExitStatus;

use rquickjs::{Ctx, Object, Result, Value};

use crate::script::system_error::SystemError;

/// `{code, number}` of a failure, nothing otherwise.
pub(super) fn failure<'js>(ctx: &Ctx<'js>, result: std::io::Result<()>) -> Result<Value<'js>> {
    let Err(error) = result else { return Ok(Value::new_undefined(ctx.clone())) };
    Ok(failed(ctx, &error)?.into_value())
}

/// `{code, number}`.
pub(super) fn failed<'js>(ctx: &Ctx<'js>, error: &std::io::Error) -> Result<Object<'js>> {
    let SystemError { code, number, .. } = SystemError::of(error);
    let object = Object::new(ctx.clone())?;
    object.set("code", code)?;
    object.set("number", number)?;
    Ok(object)
}

/// `[code, signal]` of a child that has ended; one of them is null.
pub(super) fn outcome(status: ExitStatus) -> (Option<i32>, Option<i32>) {
    #[cfg(unix)]
    return (status.code(), std::os::unix::process::ExitStatusExt::signal(&status));
    #[cfg(not(unix))]
    return (status.code(), None);
}
