//! Native half of `node:child_process`: child processes and their pipes.
//!
//! `spawn` returns an object of functions for one child. Its pending reads and writes handle the program alive unless
//! they are `unref`ed.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use rquickjs::{Ctx, Function, Object, Result, prelude::Async};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, Command},
};

use super::child_command::ChildOptions;
use super::child_sync::spawn_sync;
use super::children;
use super::loop_handle::LoopHandle;
use super::results::{exit_status, failure_object, failure_or_undefined};
use super::signals::kill;
use crate::gate;
use crate::globals::Bytes;
use crate::host::host;
use crate::native_module::NativeModule;
use lmthing_base::permission::Access;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/child-process", init };

const CHUNK: usize = 64 << 10;

/// `ESRCH`.
const NO_SUCH_PROCESS: i32 = 3;

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    // spawn(options): {pid, wait(), read(1 | 2), write(bytes), closeInput(), kill(signal), setReferenced(…)} or {code,
    // number}.
    exports.set("spawn", Function::new(ctx.clone(), spawn)?)?;
    // spawnSync(options): {pid, status, signal, stdout, stderr, code, number}
    exports.set("spawnSync", Function::new(ctx.clone(), spawn_sync)?)?;
    // kill(pid, signal): undefined, or {code, number}.
    let kill = |ctx: Ctx<'js>, pid: i32, signal: i32| {
        // Signal 0 only tests whether the process exists. A script may always do that to itself and its children.
        let is_own = || children::has(pid.unsigned_abs()) || u32::try_from(pid) == Ok(std::process::id());
        let needs_permission = if gate::restricted(&ctx).is_some() { !is_own() } else { signal != 0 };
        if needs_permission {
            gate::check(&ctx, Access::Signal(&format!("a signal to process {pid}")))?;
        }
        failure_or_undefined(&ctx, kill(pid, signal))
    };
    exports.set("kill", Function::new(ctx.clone(), kill)?)?;
    Ok(exports)
}

struct RunningChild {
    pid: u32,
    detached: bool,
    child: RefCell<Option<Child>>,
    ended: Cell<bool>,
    input: RefCell<Option<ChildStdin>>,
    output: RefCell<Option<Box<dyn AsyncRead + Unpin>>>,
    errors: RefCell<Option<Box<dyn AsyncRead + Unpin>>>,
    /// For the child itself, stdin, stdout and stderr.
    handles: [LoopHandle; 4],
}

fn spawn<'js>(ctx: Ctx<'js>, mut options: ChildOptions) -> Result<Object<'js>> {
    options.check(&ctx)?;
    options.prepare_output(&*host(&ctx)?);
    let started = options.start(|command| Command::from(command).spawn());
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return failure_object(&ctx, &error),
    };
    let pid = child.id().unwrap_or_default();
    children::add(pid);
    let running = Rc::new(RunningChild {
        pid,
        detached: options.is_detached(),
        ended: Cell::new(false),
        input: RefCell::new(child.stdin.take()),
        output: RefCell::new(child.stdout.take().map(|pipe| Box::new(pipe) as _)),
        errors: RefCell::new(child.stderr.take().map(|pipe| Box::new(pipe) as _)),
        child: RefCell::new(Some(child)),
        handles: std::array::from_fn(|_| LoopHandle::new()),
    });
    running.handles[0].set_active(&ctx, true)?;
    let object = Object::new(ctx)?;
    object.set("pid", pid)?;
    export_process(&object, running.clone())?;
    export_pipes(&object, running)?;
    Ok(object)
}

fn export_process<'js>(object: &Object<'js>, running: Rc<RunningChild>) -> Result<()> {
    let ctx = object.ctx();
    let state = running.clone();
    let wait = move |ctx: Ctx<'js>| {
        let running = state.clone();
        async move { wait(&ctx, &running).await }
    };
    object.set("wait", Function::new(ctx.clone(), Async(wait))?)?;
    let state = running.clone();
    let kill_child = move |ctx: Ctx<'js>, signal: i32| {
        // The system may have reused the process id.
        let gone = std::io::Error::from_raw_os_error(NO_SUCH_PROCESS);
        let result = if state.ended.get() { Err(gone) } else { kill(state.pid.cast_signed(), signal) };
        failure_or_undefined(&ctx, result)
    };
    object.set("kill", Function::new(ctx.clone(), kill_child)?)?;
    // setReferenced(which, referenced): 0 is the child, 1 to 3 are its standard streams.
    let set_referenced = move |ctx: Ctx<'js>, which: usize, referenced: bool| {
        if which == 0 && running.detached && !running.ended.get() {
            if referenced { children::add(running.pid) } else { children::remove(running.pid) }
        }
        running.handles.get(which).map_or(Ok(()), |handle| handle.set_referenced(&ctx, referenced))
    };
    object.set("setReferenced", Function::new(ctx.clone(), set_referenced)?)
}

/// Ends the child when the engine is dropped while the process continues, as after a run of tests.
struct EndsWithEngine(u32);

impl Drop for EndsWithEngine {
    fn drop(&mut self) {
        children::end(self.0);
    }
}

/// Waits for the exit of the child: `[code, signal]`.
async fn wait(ctx: &Ctx<'_>, running: &RunningChild) -> Result<Vec<Option<i32>>> {
    // Taken, so that no borrow is held across the await.
    let Some(mut child) = running.child.take() else { return Ok(vec![None, None]) };
    // Dropped before `child`: the process id is not reused before the child is waited for.
    let ends_with_engine = EndsWithEngine(running.pid);
    let status = child.wait().await;
    std::mem::forget(ends_with_engine);
    running.ended.set(true);
    children::remove(running.pid);
    running.handles[0].set_active(ctx, false)?;
    // Something else has reaped the child, and its exit status is unknown.
    let (code, signal) = status.map_or((Some(0), None), exit_status);
    Ok(vec![code, signal])
}

fn export_pipes<'js>(object: &Object<'js>, running: Rc<RunningChild>) -> Result<()> {
    let ctx = object.ctx();
    // read(1 or 2): the next bytes of stdout or stderr, undefined at the end.
    let state = running.clone();
    let read = move |ctx: Ctx<'js>, which: usize| {
        let running = state.clone();
        async move {
            let Some(handle) = running.handles.get(which + 1) else { return Ok(None) };
            handle.set_active(&ctx, true)?;
            let bytes = read(if which == 1 { &running.output } else { &running.errors }).await;
            handle.set_active(&ctx, false)?;
            Result::Ok(bytes.map(Bytes))
        }
    };
    object.set("read", Function::new(ctx.clone(), Async(read))?)?;
    // close(1 or 2): closes the pipe, so that the child's writes fail.
    let state = running.clone();
    let close = move |which: usize| drop(if which == 1 { state.output.take() } else { state.errors.take() });
    object.set("close", Function::new(ctx.clone(), close)?)?;
    // write(bytes): undefined once they are written, or {code, number}.
    let state = running.clone();
    let write = move |ctx: Ctx<'js>, bytes: Bytes| {
        let running = state.clone();
        async move {
            let handle = &running.handles[1];
            handle.set_active(&ctx, true)?;
            let result = write(&running.input, &bytes.0).await;
            handle.set_active(&ctx, false)?;
            failure_or_undefined(&ctx, result)
        }
    };
    object.set("write", Function::new(ctx.clone(), Async(write))?)?;
    object.set("closeInput", Function::new(ctx.clone(), move || drop(running.input.take()))?)
}

/// The next bytes of a pipe; `None` at its end or on an error.
async fn read(pipe: &RefCell<Option<Box<dyn AsyncRead + Unpin>>>) -> Option<Vec<u8>> {
    let mut reader = pipe.take()?;
    let mut bytes = Vec::with_capacity(CHUNK);
    let count = reader.read_buf(&mut bytes).await.unwrap_or(0);
    bytes.shrink_to_fit();
    (count > 0).then(|| {
        pipe.replace(Some(reader));
        bytes
    })
}

async fn write(pipe: &RefCell<Option<ChildStdin>>, bytes: &[u8]) -> std::io::Result<()> {
    let mut writer = pipe.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
    let written = writer.write_all(bytes).await;
    pipe.replace(Some(writer));
    written
}
