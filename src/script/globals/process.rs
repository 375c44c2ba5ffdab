//! Native half of `process`: what the script may know of the program it runs in, and how it asks to end.

use std::time::{Duration, Instant};

use rquickjs::{Ctx, Function, Object, Result};

use crate::script::engine::shared;
use crate::script::event_loop::Halt;
use crate::script::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/process", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let shared = shared(ctx)?;
    let exports = Object::new(ctx.clone())?;
    exports.set("argv", shared.process.argv.clone())?;
    let env = Object::new(ctx.clone())?;
    for (name, value) in &shared.process.env {
        env.set(name.as_str(), value.as_str())?;
    }
    exports.set("env", env)?;
    exports.set("pid", std::process::id())?;
    exports.set("platform", platform())?;
    exports.set("arch", architecture())?;
    exports.set("version", env!("CARGO_PKG_VERSION"))?;
    exports.set("execPath", std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default())?;
    let cwd = || std::env::current_dir().map(|path| path.display().to_string()).map_err(rquickjs::Error::Io);
    exports.set("cwd", Function::new(ctx.clone(), cwd)?)?;
    // hrtime(): [seconds, nanoseconds] of a steady clock.
    let start = Instant::now();
    let hrtime = move || {
        let elapsed = start.elapsed() + BASE;
        [elapsed.as_secs() as f64, f64::from(elapsed.subsec_nanos())].to_vec()
    };
    exports.set("hrtime", Function::new(ctx.clone(), hrtime)?)?;
    exports.set("uptime", Function::new(ctx.clone(), move || start.elapsed().as_secs_f64())?)?;
    exports.set("residentSetSize", Function::new(ctx.clone(), resident_set_size)?)?;
    // setExitCode(code or undefined)
    let process = shared.process.clone();
    exports.set("setExitCode", Function::new(ctx.clone(), move |code: Option<i32>| process.exit_code.set(code))?)?;
    // requestExit(code): ends the run with this code.
    let event_loop = shared.event_loop.clone();
    exports.set("requestExit", Function::new(ctx.clone(), move |code: i32| event_loop.halt(Halt::Exit(code)))?)?;
    Ok(exports)
}

/// The steady clock of `hrtime` starts at an arbitrary point; never at nought, which programs take for "unset".
const BASE: Duration = Duration::from_secs(1);

/// Node's name of the operating system.
fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

/// Node's name of the processor.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        other => other,
    }
}

/// Bytes of memory the process holds; 0 where we cannot tell.
fn resident_set_size() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok());
    pages.unwrap_or(0.0) * 4096.0
}
