//! Native half of `console`: where its text goes.

use std::time::Instant;

use rquickjs::{Ctx, Function, Object, Result};

use crate::script::engine::{Shared, shared};
use crate::script::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/console", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let shared = shared(ctx)?;
    let exports = Object::new(ctx.clone())?;
    // writeStdout(text), writeStderr(text)
    exports.set("writeStdout", Function::new(ctx.clone(), stdout_writer(shared.clone()))?)?;
    exports.set("writeStderr", Function::new(ctx.clone(), stderr_writer(shared.clone()))?)?;
    exports.set("stdoutHasColors", shared.host.stdout_has_colors())?;
    exports.set("stderrHasColors", shared.host.stderr_has_colors())?;
    exports.set("stdoutIsTerminal", shared.host.stdout_is_terminal())?;
    exports.set("stderrIsTerminal", shared.host.stderr_is_terminal())?;
    // columns(): the terminal's width, undefined when there is none.
    exports.set("columns", Function::new(ctx.clone(), move || shared.host.columns())?)?;
    // now(): milliseconds of a steady clock.
    let start = Instant::now();
    exports.set("now", Function::new(ctx.clone(), move || start.elapsed().as_secs_f64() * 1000.0)?)?;
    Ok(exports)
}

/// What a script prints after its run was ended is not seen.
fn stdout_writer(shared: Shared) -> impl Fn(rquickjs::String<'_>) -> Result<()> {
    move |text| {
        let text = text.to_string()?;
        if !shared.event_loop.is_halted() {
            shared.host.write_stdout(&text);
        }
        Ok(())
    }
}

fn stderr_writer(shared: Shared) -> impl Fn(rquickjs::String<'_>) -> Result<()> {
    move |text| {
        let text = text.to_string()?;
        if !shared.event_loop.is_halted() {
            shared.host.write_stderr(&text);
        }
        Ok(())
    }
}
