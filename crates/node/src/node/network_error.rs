//! Network failures with Node's codes, as plain objects for JavaScript.

use std::io;

use rquickjs::{Ctx, IntoJs, Object, Result};

use crate::system_error::SystemError;

/// Node's code and `errno`, with the failed system call or a message.
pub(super) struct NetError {
    pub(super) code: String,
    pub(super) number: i32,
    pub(super) syscall: &'static str,
    pub(super) message: Option<String>,
}

pub(super) type NetResult<T> = std::result::Result<T, NetError>;

impl NetError {
    pub(super) fn new(code: &str, number: i32, syscall: &'static str) -> Self {
        Self { code: code.to_owned(), number, syscall, message: None }
    }

    pub(super) fn with_message(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), number: 0, syscall: "", message: Some(message.into()) }
    }

    pub(super) fn of_io(error: &io::Error, syscall: &'static str) -> Self {
        let SystemError { code, number, .. } = SystemError::of(error);
        // From TLS or the async runtime, without an `errno`.
        if code == "UNKNOWN" && error.raw_os_error().is_none() {
            return Self::with_message("ECONNRESET", error.to_string());
        }
        Self::new(code, number, syscall)
    }
}

/// `{value}` or `{code, number, syscall, message?}`; JavaScript makes the error, so that its stack is the caller's.
pub(super) fn result_object<'js, T: IntoJs<'js>>(ctx: &Ctx<'js>, result: NetResult<T>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    match result {
        Ok(value) => object.set("value", value)?,
        Err(error) => {
            object.set("code", error.code)?;
            object.set("number", error.number)?;
            object.set("syscall", error.syscall)?;
            object.set("message", error.message)?;
        }
    }
    Ok(object)
}
