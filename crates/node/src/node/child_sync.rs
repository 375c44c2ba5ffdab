//! `spawnSync`: runs a child while the script blocks.

use std::{
    io::{self, Read, Write},
    process::{Child, ExitStatus},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, FromJs, Object, Result, Value};

use super::child_command::ChildOptions;
use super::children;
use super::results::{exit_status, failure_object};
use super::signals::kill;
use crate::event_loop::EventLoop;
use crate::globals::Bytes;
use crate::host::host;

/// [`ChildOptions`] and `{input, timeout, maxBuffer, killSignal}`.
pub(super) struct SyncOptions {
    child: ChildOptions,
    input: Option<Vec<u8>>,
    timeout: Option<Duration>,
    max_buffer: f64,
    kill_signal: i32,
}

impl<'js> FromJs<'js> for SyncOptions {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let object = Object::from_js(ctx, value.clone())?;
        let timeout: f64 = object.get("timeout")?;
        Ok(SyncOptions {
            child: ChildOptions::from_js(ctx, value)?,
            input: object.get::<_, Option<Bytes>>("input")?.map(|bytes| bytes.0),
            timeout: (timeout > 0.0).then(|| Duration::from_secs_f64(timeout / 1000.0)),
            max_buffer: object.get("maxBuffer")?,
            kill_signal: object.get("killSignal")?,
        })
    }
}

/// Sent by the threads that read the child's output and wait for it.
enum ChildEvent {
    /// Bytes of stdout (0) or stderr (1).
    Output(usize, Vec<u8>),
    /// End of one output stream.
    Closed,
    Exited(io::Result<ExitStatus>),
}

#[derive(Default)]
struct SyncOutcome {
    status: Option<ExitStatus>,
    output: [Vec<u8>; 2],
    /// Node's code for why it was killed.
    killed: Option<&'static str>,
}

pub(super) fn spawn_sync<'js>(ctx: Ctx<'js>, mut options: SyncOptions) -> Result<Object<'js>> {
    options.child.check(&ctx)?;
    options.child.prepare_output(&*host(&ctx)?);
    let started = options.child.start(|mut command| command.spawn());
    let child = match started {
        Ok(child) => child,
        Err(error) => return failure_object(&ctx, &error),
    };
    let pid = child.id();
    children::add(pid);
    let has_output = [child.stdout.is_some(), child.stderr.is_some()];
    // The script blocks, so nothing else can enforce the run's deadline.
    let latest = EventLoop::of(&ctx)?.interrupt_time();
    let outcome = watch(child, &options, latest);
    children::remove(pid);
    let object = Object::new(ctx)?;
    object.set("pid", pid)?;
    if let Some(code) = outcome.killed {
        object.set("code", code)?;
        object.set("number", if code == "ETIMEDOUT" { TIMED_OUT } else { NO_BUFFER_SPACE })?;
    }
    let (status, signal) = outcome.status.map_or((None, None), exit_status);
    object.set("status", status)?;
    object.set("signal", signal)?;
    for ((name, bytes), exists) in ["stdout", "stderr"].into_iter().zip(outcome.output).zip(has_output) {
        object.set(name, exists.then_some(Bytes(bytes)))?;
    }
    Ok(object)
}

#[cfg(unix)]
const TIMED_OUT: i32 = libc::ETIMEDOUT;
#[cfg(unix)]
const KILL: i32 = libc::SIGKILL;
#[cfg(not(unix))]
const KILL: i32 = 9;
#[cfg(unix)]
const NO_BUFFER_SPACE: i32 = libc::ENOBUFS;
#[cfg(not(unix))]
const TIMED_OUT: i32 = 0;
#[cfg(not(unix))]
const NO_BUFFER_SPACE: i32 = 0;

/// Waits for the child and the end of its output. Kills it after its timeout or when its output exceeds the limit, and
/// at `latest` in any case, even if it ignores its signal.
fn watch(mut child: Child, options: &SyncOptions, latest: Option<Instant>) -> SyncOutcome {
    let pid = child.id().cast_signed();
    let deadline = options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let (sender, events) = channel();
    let pipes = [child.stdout.take().map(boxed), child.stderr.take().map(boxed)];
    let mut open = pipes.iter().flatten().count();
    for (index, pipe) in pipes.into_iter().enumerate() {
        if let Some(pipe) = pipe {
            let sender = sender.clone();
            thread::spawn(move || read_all(index, pipe, &sender));
        }
    }
    if let Some(mut stdin) = child.stdin.take() {
        let input = options.input.clone().unwrap_or_default();
        // A child that does not read all of its input is no failure.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
    thread::spawn(move || drop(sender.send(ChildEvent::Exited(child.wait()))));
    let mut outcome = SyncOutcome::default();
    let mut exited = false;
    // Descendants of a killed child may handle the pipes open.
    while !exited || (open > 0 && outcome.killed.is_none()) {
        let deadline = deadline.filter(|_| outcome.killed.is_none());
        match next_event(&events, deadline.into_iter().chain(latest).min()) {
            Some(ChildEvent::Output(index, bytes)) => {
                outcome.output[index].extend_from_slice(&bytes);
                let length = outcome.output.iter().map(Vec::len).sum::<usize>();
                if length as f64 > options.max_buffer && outcome.killed.is_none() {
                    outcome.killed = Some("ENOBUFS");
                    kill_unless_exited(pid, options.kill_signal, exited);
                }
            }
            Some(ChildEvent::Closed) => open -= 1,
            Some(ChildEvent::Exited(status)) => {
                exited = true;
                outcome.status = status.ok();
            }
            None => {
                outcome.killed = Some("ETIMEDOUT");
                if latest.is_some_and(|latest| Instant::now() >= latest) {
                    kill_unless_exited(pid, KILL, exited);
                    break;
                }
                kill_unless_exited(pid, options.kill_signal, exited);
            }
        }
    }
    outcome
}

fn kill_unless_exited(pid: i32, signal: i32, exited: bool) {
    if !exited {
        // Fails if the child has just outcome.
        let _ = kill(pid, signal);
    }
}

/// The next event; `None` at the deadline.
fn next_event(events: &Receiver<ChildEvent>, deadline: Option<Instant>) -> Option<ChildEvent> {
    let Some(deadline) = deadline else { return events.recv().ok() };
    events.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

fn boxed<'a>(pipe: impl Read + Send + 'a) -> Box<dyn Read + Send + 'a> {
    Box::new(pipe)
}

fn read_all(index: usize, mut pipe: impl Read, sender: &Sender<ChildEvent>) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match pipe.read(&mut buffer) {
            Ok(count) if count > 0 => {
                // The receiver is gone once the child was killed.
                if sender.send(ChildEvent::Output(index, buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    let _ = sender.send(ChildEvent::Closed);
}
