//! Native half of `process`: what the script may know of the program it runs in, and how it asks to end.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rquickjs::{Coerced, Ctx, Exception, Function, JsLifetime, Object, Result, Value};

use crate::script::engine::shared;
use crate::script::event_loop::Halt;
use crate::script::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/process", init };

/// The `process` object, once a script has touched it.
#[derive(Default, JsLifetime)]
struct ProcessObject<'js>(RefCell<Option<Object<'js>>>);

/// Part of making an engine.
pub(in crate::script) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    let stored = ctx.store_userdata(ProcessObject::default()).map(drop);
    stored.map_err(|_| Exception::throw_internal(ctx, "user data is in use"))
}

/// What `process.env` holds now, changes of the script's included; `None` while no script has touched `process`.
pub fn environment(ctx: &Ctx<'_>) -> Result<Option<BTreeMap<String, String>>> {
    let process = ctx.userdata::<ProcessObject>().and_then(|process| process.0.borrow().clone());
    let Some(process) = process else { return Ok(None) };
    let mut variables = BTreeMap::new();
    // A script may have put anything in its place.
    if let Some(env) = process.get::<_, Value>("env")?.into_object() {
        for property in env.props::<String, Value>() {
            let (name, value) = property?;
            if !value.is_undefined() {
                variables.insert(name, value.get::<Coerced<String>>()?.0);
            }
        }
    }
    Ok(Some(variables))
}

fn remember<'js>(ctx: Ctx<'js>, process: Object<'js>) {
    if let Some(kept) = ctx.userdata::<ProcessObject>() {
        kept.0.replace(Some(process));
    }
}

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
    // remember(process): the object that `environment` reads.
    exports.set("remember", Function::new(ctx.clone(), remember)?)?;
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
