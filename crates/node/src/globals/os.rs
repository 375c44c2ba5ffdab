//! Native half of `node:os`.

use std::time::Duration;
use std::{env, thread};

use rquickjs::{Ctx, Function, IntoJs, Object, Result, Value};

use crate::gate;
use crate::native_module::NativeModule;
#[cfg(unix)]
use crate::system_error::SystemError;
use lmthing_base::permission::Access;

/// `os.homedir()`: `$HOME`, then the user database. A script that may not read `$HOME` gets the database's entry.
fn home_directory(ctx: Ctx<'_>) -> Option<String> {
    let may_read = gate::restricted(&ctx).is_none_or(|rights| rights.check(Access::Env("HOME")).is_ok());
    if may_read { env::home_dir().map(|path| path.to_string_lossy().into_owned()) } else { home_by_database() }
}

#[cfg(unix)]
fn home_by_database() -> Option<String> {
    let id = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    // name:password:number:group:comment:folder:shell
    let mut users = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    users.find(|user| user.get(2) == Some(&id.as_str()))?.get(5).map(|folder| (*folder).to_owned())
}

#[cfg(not(unix))]
fn home_by_database() -> Option<String> {
    None
}

fn processor_count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// `{nodename, release, version, machine, sysname}`, as from `uname`.
#[cfg(unix)]
fn system_names<'js>(ctx: Ctx<'js>) -> Result<Object<'js>> {
    let names = rustix::system::uname();
    let object = Object::new(ctx)?;
    object.set("nodename", names.nodename().to_string_lossy().into_owned())?;
    object.set("release", names.release().to_string_lossy().into_owned())?;
    object.set("version", names.version().to_string_lossy().into_owned())?;
    object.set("machine", names.machine().to_string_lossy().into_owned())?;
    object.set("sysname", names.sysname().to_string_lossy().into_owned())?;
    Ok(object)
}

#[cfg(not(unix))]
fn system_names<'js>(ctx: Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx)?;
    object.set("nodename", env::var("COMPUTERNAME").unwrap_or_default())?;
    object.set("release", "")?;
    object.set("version", "")?;
    object.set("machine", env::consts::ARCH)?;
    object.set("sysname", "Windows_NT")?;
    Ok(object)
}

/// `[total, free, uptime, load1, load5, load15]`: bytes, bytes, seconds, and load averages. Zeros where they are
/// unknown.
#[cfg(target_os = "linux")]
fn system_load() -> Vec<f64> {
    let info = rustix::system::sysinfo();
    let unit = f64::from(info.mem_unit);
    let mut values = vec![info.totalram as f64 * unit, info.freeram as f64 * unit, info.uptime as f64];
    // Fixed-point numbers with 16 fractional bits.
    values.extend(info.loads.iter().map(|load| *load as f64 / 65536.0));
    values
}

#[cfg(not(target_os = "linux"))]
fn system_load() -> Vec<f64> {
    vec![0.0; 6]
}

/// `[uid, gid]` of the process; `-1` where there are none.
fn user_ids() -> Vec<f64> {
    #[cfg(unix)]
    return vec![f64::from(rustix::process::getuid().as_raw()), f64::from(rustix::process::getgid().as_raw())];
    #[cfg(not(unix))]
    return vec![-1.0, -1.0];
}

/// The priority of a process (0: this one), or `{code, number, text}`. Sets it first if `priority` is given.
#[cfg(unix)]
fn priority<'js>(ctx: Ctx<'js>, id: i32, priority: Option<i32>) -> Result<Value<'js>> {
    use rustix::process::{Pid, getpriority_process, setpriority_process};
    let is_own = id == 0 || u32::try_from(id) == Ok(std::process::id());
    if priority.is_some() || !is_own && gate::restricted(&ctx).is_some() {
        let what = if priority.is_some() { "os.setPriority(…)" } else { "the priority of another process" };
        gate::check(&ctx, Access::Signal(what))?;
    }
    let process = Pid::from_raw(id);
    let outcome = match priority {
        Some(priority) => setpriority_process(process, priority).map(|()| priority),
        None => getpriority_process(process),
    };
    match outcome {
        Ok(priority) => priority.into_js(&ctx),
        Err(error) => {
            let system = SystemError::of(&error.into());
            let object = Object::new(ctx)?;
            object.set("code", system.code)?;
            object.set("number", system.number)?;
            object.set("text", system.text)?;
            Ok(object.into_value())
        }
    }
}

#[cfg(not(unix))]
fn priority<'js>(ctx: Ctx<'js>, _id: i32, priority: Option<i32>) -> Result<Value<'js>> {
    priority.unwrap_or(0).into_js(&ctx)
}

/// Blocks the thread, for `Atomics.wait` with a timeout.
fn sleep(milliseconds: f64) {
    thread::sleep(Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX));
}

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/os", init: exports };

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("homeDirectory", Function::new(ctx.clone(), home_directory)?)?;
    exports.set("processorCount", Function::new(ctx.clone(), processor_count)?)?;
    exports.set("systemNames", Function::new(ctx.clone(), system_names)?)?;
    exports.set("systemLoad", Function::new(ctx.clone(), system_load)?)?;
    exports.set("priority", Function::new(ctx.clone(), priority)?)?;
    exports.set("sleep", Function::new(ctx.clone(), sleep)?)?;
    exports.set("userIds", Function::new(ctx.clone(), user_ids)?)?;
    Ok(exports)
}
