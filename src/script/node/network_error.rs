//! Failures of the network in Node's terms, on their way to JavaScript.

use std::io;

use rquickjs::{Ctx, IntoJs, Object, Result};

/// A failure: Node's code, the system's number, and either the call that failed or words of its own.
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

    /// With words of its own.
    pub(super) fn told(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), number: 0, syscall: "", message: Some(message.into()) }
    }

    pub(super) fn of_io(error: &io::Error, syscall: &'static str) -> Self {
        let (code, number) = match error.kind() {
            io::ErrorKind::ConnectionRefused => ("ECONNREFUSED", 111),
            io::ErrorKind::ConnectionReset => ("ECONNRESET", 104),
            io::ErrorKind::ConnectionAborted => ("ECONNABORTED", 103),
            io::ErrorKind::BrokenPipe => ("EPIPE", 32),
            io::ErrorKind::TimedOut => ("ETIMEDOUT", 110),
            io::ErrorKind::AddrInUse => ("EADDRINUSE", 98),
            io::ErrorKind::AddrNotAvailable => ("EADDRNOTAVAIL", 99),
            io::ErrorKind::HostUnreachable => ("EHOSTUNREACH", 113),
            io::ErrorKind::NetworkUnreachable => ("ENETUNREACH", 101),
            io::ErrorKind::NotConnected => ("ENOTCONN", 107),
            io::ErrorKind::NotFound => ("ENOENT", 2),
            io::ErrorKind::PermissionDenied => ("EACCES", 13),
            io::ErrorKind::InvalidInput => ("EINVAL", 22),
            _ => ("UNKNOWN", 0),
        };
        let number = error.raw_os_error().unwrap_or(number);
        if code == "UNKNOWN" && error.raw_os_error().is_none() {
            return Self::told("ECONNRESET", error.to_string());
        }
        Self::new(code, number, syscall)
    }
}

/// `{value}` or `{code, number, syscall, message?}`; the JavaScript half makes the error, so that its stack is the
/// caller's.
pub(super) fn outcome<'js, T: IntoJs<'js>>(ctx: &Ctx<'js>, result: NetResult<T>) -> Result<Object<'js>> {
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
