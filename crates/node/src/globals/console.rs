//! Native half of `console`: writes text to the host.

use std::rc::Rc;
use std::time::Instant;

use rquickjs::{Ctx, Function, Object, Result};

use super::bytes::Bytes;
use crate::event_loop::EventLoop;
use crate::host::{ScriptHost, host};
use crate::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/console", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let (host, event_loop) = (host(ctx)?, EventLoop::of(ctx)?);
    let exports = Object::new(ctx.clone())?;
    // writeStdout(text), writeStderr(text): output of `console`
    let stdout = writer(&host, &event_loop, |host, text| host.write_stdout(text));
    exports.set("writeStdout", Function::new(ctx.clone(), stdout)?)?;
    let stderr = writer(&host, &event_loop, |host, text| host.write_stderr(text));
    exports.set("writeStderr", Function::new(ctx.clone(), stderr)?)?;
    // drawStdout(text), drawStderr(text): output of the script itself, which may contain terminal control sequences
    let stdout = writer(&host, &event_loop, |host, text| host.write_stdout_bytes(text.as_bytes()));
    exports.set("drawStdout", Function::new(ctx.clone(), stdout)?)?;
    let stderr = writer(&host, &event_loop, |host, text| host.write_stderr_bytes(text.as_bytes()));
    exports.set("drawStderr", Function::new(ctx.clone(), stderr)?)?;
    let stdout = byte_writer(&host, &event_loop, |host, bytes| host.write_stdout_bytes(bytes));
    exports.set("writeStdoutBytes", Function::new(ctx.clone(), stdout)?)?;
    let stderr = byte_writer(&host, &event_loop, |host, bytes| host.write_stderr_bytes(bytes));
    exports.set("writeStderrBytes", Function::new(ctx.clone(), stderr)?)?;
    exports.set("stdoutHasColors", host.stdout_has_colors())?;
    exports.set("stderrHasColors", host.stderr_has_colors())?;
    exports.set("stdoutIsTerminal", host.stdout_is_terminal())?;
    exports.set("stderrIsTerminal", host.stderr_is_terminal())?;
    // columns(): the terminal's width, undefined without a terminal.
    exports.set("columns", Function::new(ctx.clone(), move || host.columns())?)?;
    // patched: by file descriptor, the streams whose `write` a script has replaced.
    exports.set("patched", Object::new(ctx.clone())?)?;
    // now(): milliseconds of a monotonic clock.
    let start = Instant::now();
    exports.set("now", Function::new(ctx.clone(), move || start.elapsed().as_secs_f64() * 1000.0)?)?;
    Ok(exports)
}

/// Output after the end of the run is dropped.
fn writer(
    host: &Rc<dyn ScriptHost>,
    event_loop: &Rc<EventLoop>,
    write: fn(&dyn ScriptHost, &str),
) -> impl Fn(rquickjs::String<'_>) -> Result<()> + 'static {
    let (host, event_loop) = (host.clone(), event_loop.clone());
    move |text| {
        let text = text.to_string()?;
        if !event_loop.is_halted() {
            write(&*host, &text);
        }
        Ok(())
    }
}

fn byte_writer(
    host: &Rc<dyn ScriptHost>,
    event_loop: &Rc<EventLoop>,
    write: fn(&dyn ScriptHost, &[u8]),
) -> impl Fn(Bytes) + 'static {
    let (host, event_loop) = (host.clone(), event_loop.clone());
    move |bytes| {
        if !event_loop.is_halted() {
            write(&*host, &bytes.0);
        }
    }
}
