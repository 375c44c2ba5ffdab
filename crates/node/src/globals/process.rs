//! Native half of `process`: facts about the program, the environment, and `process.exit`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::runtime::UserDataGuard;
use rquickjs::{Coerced, Ctx, Function, JsLifetime, Object, Result, Value};

use crate::error::ScriptError;
use crate::event_loop::{EventLoop, Halt, set_hooks};
use crate::gate;
use crate::host::host;
use crate::native_module::NativeModule;
use crate::user_data;
use lmthing_base::permission::Access;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/process", init };

#[derive(Default, JsLifetime)]
struct Process<'js> {
    argv: Vec<String>,
    /// Initial contents of `process.env`.
    env: Vec<(String, String)>,
    /// Once a script has set it.
    exit_code: Cell<Option<i32>>,
    /// The `process` object, once a script has used it.
    object: RefCell<Option<Object<'js>>>,
}

pub(super) fn set_up(ctx: &Ctx<'_>, argv: Vec<String>, env: Vec<(String, String)>) -> Result<()> {
    user_data::store(ctx, Process { argv, env, ..Process::default() })
}

fn process<'a, 'js>(ctx: &'a Ctx<'js>) -> Result<UserDataGuard<'a, Process<'js>>> {
    user_data::read(ctx)
}

/// The `process.exitCode` set by the script, which applies when the run ends by itself.
pub fn exit_code(ctx: &Ctx<'_>) -> Result<Option<i32>> {
    Ok(process(ctx)?.exit_code.get())
}

/// The current contents of `process.env`, with the script's changes; `None` while no script has used `process`.
///
/// # Errors A pending exception, when a value cannot be converted to a string.
pub fn environment(ctx: &Ctx<'_>) -> Result<Option<BTreeMap<String, String>>> {
    // A restricted script must not redirect API keys by changing addresses.
    if gate::restricted(ctx).is_some() {
        return Ok(None);
    }
    let object = process(ctx)?.object.borrow().clone();
    let Some(object) = object else { return Ok(None) };
    let mut variables = BTreeMap::new();
    // A script may have replaced it with any value.
    if let Some(env) = object.get::<_, Value>("env")?.into_object() {
        for property in env.props::<String, Value>() {
            let (name, value) = property?;
            if !value.is_undefined() {
                variables.insert(name, value.get::<Coerced<String>>()?.0);
            }
        }
    }
    Ok(Some(variables))
}

/// The current value of one variable of `process.env`, if it is a string.
pub(crate) fn variable(ctx: &Ctx<'_>, name: &str) -> Option<String> {
    let process = process(ctx).ok()?;
    let object = process.object.borrow().clone().filter(|_| gate::restricted(ctx).is_none());
    let Some(object) = object else {
        return process.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    };
    let read = || {
        let Some(env) = object.get::<_, Value>("env")?.into_object() else { return Ok(None) };
        let value: Value = env.get(name)?;
        if value.is_undefined() { Ok(None) } else { value.get::<Coerced<String>>().map(|text| Some(text.0)) }
    };
    read().unwrap_or_else(|_: rquickjs::Error| {
        ctx.catch();
        None
    })
}

/// Payload of the error that `process.exit` throws in a script that may not end the process.
pub struct ExitCalled;

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    describe_program(ctx, &exports)?;
    export_clocks(ctx, &exports)?;
    let cwd = || std::env::current_dir().map(|path| path.display().to_string()).map_err(rquickjs::Error::Io);
    exports.set("cwd", Function::new(ctx.clone(), cwd)?)?;
    exports.set("residentSetSize", Function::new(ctx.clone(), resident_set_size)?)?;
    // remember(process): the object whose `env` models are looked up in.
    exports.set("remember", Function::new(ctx.clone(), remember)?)?;
    // noteVariable(name, value): the script has set a variable.
    let host = host(ctx)?;
    let note = move |name: rquickjs::String<'js>, value: rquickjs::String<'js>| {
        // A key contains no lone surrogates.
        if let (Ok(name), Ok(value)) = (name.to_string(), value.to_string()) {
            host.set_variable(&name, &value);
        }
    };
    exports.set("noteVariable", Function::new(ctx.clone(), note)?)?;
    // setExitCode(code or undefined)
    exports.set("setExitCode", Function::new(ctx.clone(), set_exit_code)?)?;
    // setHooks({uncaught, rejected, beforeExit, exit}): functions to call before the run ends.
    exports.set("setHooks", Function::new(ctx.clone(), |ctx, hooks| set_hooks(&ctx, hooks))?)?;
    // requestExit(code): ends the run with this code.
    let event_loop = EventLoop::of(ctx)?;
    let request_exit = move |ctx: Ctx<'js>, code: i32| {
        // The exit happens whether or not its location is known.
        let noted = gate::record_exit_location(&ctx);
        event_loop.halt(Halt::Exit(code));
        // The script continues after the error.
        if event_loop.has_halt_handler() {
            let error = ScriptError::error(format!("process.exit({code}) was called"));
            return Err(error.payload(Rc::new(ExitCalled)).throw(&ctx));
        }
        noted
    };
    exports.set("requestExit", Function::new(ctx.clone(), request_exit)?)?;
    Ok(exports)
}

/// Constants of the run, and the initial `env`.
fn describe_program<'js>(ctx: &Ctx<'js>, exports: &Object<'js>) -> Result<()> {
    let (argv, variables) = {
        let process = process(ctx)?;
        (process.argv.clone(), process.env.clone())
    };
    let env = Object::new(ctx.clone())?;
    let rights = gate::restricted(ctx);
    let is_shown = |name: &str| rights.as_ref().is_none_or(|rights| rights.check(Access::Env(name)).is_ok());
    for (name, value) in variables.into_iter().filter(|(name, _)| is_shown(name)) {
        env.set(name, value)?;
    }
    if rights.is_some() {
        // refuseVariable(name): throws when it may not be read. For packages it appears unset instead.
        let refuse = |ctx: Ctx<'js>, name: String| {
            if is_read_by_library(&ctx)? { Ok(()) } else { gate::check(&ctx, Access::Env(&name)) }
        };
        exports.set("refuseVariable", Function::new(ctx.clone(), refuse)?)?;
    } else {
        exports.set("refuseVariable", Value::new_undefined(ctx.clone()))?;
    }
    exports.set("argv", argv)?;
    exports.set("env", env)?;
    exports.set("pid", std::process::id())?;
    exports.set("ppid", parent_id())?;
    exports.set("platform", platform())?;
    exports.set("arch", architecture())?;
    exports.set("version", env!("CARGO_PKG_VERSION"))?;
    exports.set("execPath", std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default())
}

/// Whether a package or a built-in module reads the variable. These look for optional settings and must not fail. They
/// see it as unset, so a script gains nothing by imitating one.
fn is_read_by_library(ctx: &Ctx<'_>) -> Result<bool> {
    let stack: Coerced<String> = ScriptError::error("here").into_object(ctx)?.get("stack")?;
    let places = stack.0.lines().filter_map(|line| line.trim_start().strip_prefix("at "));
    // The topmost frames are those of `process.env` itself.
    let mut callers = places.filter(|place| !place.contains("native") && !place.contains("lmthing:internal/process"));
    Ok(callers.next().is_some_and(|place| place.contains("/node_modules/") || place.contains("(lmthing:")))
}

fn export_clocks<'js>(ctx: &Ctx<'js>, exports: &Object<'js>) -> Result<()> {
    // hrtime(): [seconds, nanoseconds] of a monotonic clock.
    let start = Instant::now();
    let hrtime = move || {
        let elapsed = start.elapsed() + BASE;
        [elapsed.as_secs() as f64, f64::from(elapsed.subsec_nanos())].to_vec()
    };
    exports.set("hrtime", Function::new(ctx.clone(), hrtime)?)?;
    exports.set("uptime", Function::new(ctx.clone(), move || start.elapsed().as_secs_f64())?)
}

fn remember<'js>(ctx: Ctx<'js>, object: Object<'js>) -> Result<()> {
    process(&ctx)?.object.replace(Some(object));
    Ok(())
}

fn set_exit_code(ctx: Ctx<'_>, code: Option<i32>) -> Result<()> {
    process(&ctx)?.exit_code.set(code);
    Ok(())
}

/// Start of the clock of `hrtime`; not 0, which some programs take for "unset".
const BASE: Duration = Duration::from_secs(1);

#[cfg(unix)]
fn parent_id() -> i32 {
    rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get())
}

#[cfg(not(unix))]
fn parent_id() -> i32 {
    0
}

fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        other => other,
    }
}

/// Resident memory in bytes; 0 where it is unknown.
fn resident_set_size() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok());
    pages.unwrap_or(0.0) * 4096.0
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::host::SilentHost;
    use crate::{Engine, EngineOptions};

    #[tokio::test(flavor = "current_thread")]
    async fn the_environment_is_what_the_script_made_it() {
        let mut options = EngineOptions::new(Rc::new(SilentHost));
        options.env = [("A", "1"), ("B", "2")].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let engine = Engine::new(options).await.unwrap();
        let run = async |ctx: Ctx<'_>| {
            let read = |source: &str| {
                ctx.eval::<(), _>(source).unwrap();
                let variables = environment(&ctx).unwrap()?;
                for (name, value) in &variables {
                    assert_eq!(variable(&ctx, name).as_ref(), Some(value));
                }
                Some(variables.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
            };
            assert_eq!(read("globalThis.x = 1"), None);
            assert_eq!((variable(&ctx, "A").as_deref(), variable(&ctx, "C")), (Some("1"), None));
            assert_eq!(read("process.argv"), Some("A=1 B=2".to_owned()));
            assert_eq!(read("process.env.C = 3; delete process.env.A"), Some("B=2 C=3".to_owned()));
            assert_eq!(read("process.env = { D: undefined, E: '' }"), Some("E=".to_owned()));
        };
        engine.context().async_with(run).await;
    }
}
