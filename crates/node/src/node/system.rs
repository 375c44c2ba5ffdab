//! Native half of less common parts of `process`: signals, working directory, users, resource usage.

use rquickjs::{Ctx, Function, Object, Result};

use super::results::failure_object;
use crate::gate;
use crate::native_module::NativeModule;
use lmthing_base::permission::Access;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/system", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    // chdir(path): undefined, or {code, number}.
    let chdir = |ctx: Ctx<'js>, path: String| {
        gate::check(&ctx, Access::Process(&format!("process.chdir('{path}')")))?;
        gate::check(&ctx, Access::Read(&path))?;
        match std::env::set_current_dir(path) {
            Ok(()) => Ok(None),
            Err(error) => failure_object(&ctx, &error).map(Some),
        }
    };
    exports.set("chdir", Function::new(ctx.clone(), chdir)?)?;
    // umask(mask or undefined): the previous mask.
    let umask = |ctx: Ctx<'js>, mask: Option<u32>| {
        if mask.is_some() {
            gate::check(&ctx, Access::Process("process.umask(…)"))?;
        }
        Result::Ok(umask(mask))
    };
    exports.set("umask", Function::new(ctx.clone(), umask)?)?;
    // identity(): [uid, euid, gid, egid, …groups]
    exports.set("identity", Function::new(ctx.clone(), identity)?)?;
    // usage(): {…} of microseconds and counts
    exports.set("usage", Function::new(ctx.clone(), usage)?)?;
    super::signals::exports(&exports)?;
    Ok(exports)
}

#[cfg(unix)]
fn umask(mask: Option<u32>) -> u32 {
    use rustix::fs::Mode;
    let before = rustix::process::umask(mask.map_or(Mode::empty(), Mode::from_raw_mode));
    if mask.is_none() {
        // The mask can only be read by setting it.
        rustix::process::umask(before);
    }
    before.as_raw_mode()
}

#[cfg(not(unix))]
fn umask(_mask: Option<u32>) -> u32 {
    0
}

#[cfg(unix)]
fn identity() -> Vec<u32> {
    use rustix::process as system;
    let ids =
        [system::getuid().as_raw(), system::geteuid().as_raw(), system::getgid().as_raw(), system::getegid().as_raw()];
    let groups = system::getgroups().unwrap_or_default().into_iter().map(|group| group.as_raw());
    ids.into_iter().chain(groups).collect()
}

#[cfg(not(unix))]
fn identity() -> Vec<u32> {
    vec![0; 4]
}

/// `{user, system, maxResident, minorFaults, majorFaults, voluntary, involuntary, read, written}`: microseconds,
/// kilobytes, counts and blocks. Zero where the system does not report it.
fn usage<'js>(ctx: Ctx<'js>) -> Result<Object<'js>> {
    let text = |file: &str| std::fs::read_to_string(format!("/proc/self/{file}")).unwrap_or_default();
    let stat = text("stat");
    let fields: Vec<f64> = stat
        .rsplit_once(')')
        .map_or("", |(_, fields)| fields)
        .split_ascii_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    // Numbered as in proc(5); the first two, pid and name, are cut off.
    let field = |number: usize| fields.get(number - 3).copied().unwrap_or(0.0);
    let named = |text: &str, name: &str| -> f64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0.0)
    };
    let (status, io) = (text("status"), text("io"));
    // In units of 10 ms; only the sum is known precisely.
    let system = field(15) * 10_000.0;
    let object = Object::new(ctx)?;
    object.set("user", (processor_time() - system).max(0.0))?;
    object.set("system", system)?;
    object.set("maxResident", named(&status, "VmHWM:"))?;
    object.set("minorFaults", field(10))?;
    object.set("majorFaults", field(12))?;
    object.set("voluntary", named(&status, "voluntary_ctxt_switches:"))?;
    object.set("involuntary", named(&status, "nonvoluntary_ctxt_switches:"))?;
    object.set("read", (named(&io, "read_bytes:") / 512.0).floor())?;
    object.set("written", (named(&io, "write_bytes:") / 512.0).floor())?;
    Ok(object)
}

/// Microseconds of processor time used by the process.
#[cfg(unix)]
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e6 + (time.tv_nsec as f64 / 1e3).floor()
}

#[cfg(not(unix))]
fn processor_time() -> f64 {
    0.0
}
