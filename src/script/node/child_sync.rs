//! `spawnSync`: a child that the script waits for, with everything else standing still meanwhile, as in Node.

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
use super::outcome::{failed, outcome};
use super::signals::kill;
use crate::script::event_loop::EventLoop;
use crate::script::globals::Bytes;
use crate::script::host::host;

/// What is there beside [`ChildOptions`]: `{input, timeout, maxBuffer, killSignal}`.
pub(super) struct SyncOptions {
    child: ChildOptions,
    input: Option<Vec<u8>>,
    /// Nothing: as long as it takes.
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

/// What a thread that looks after one part of the child has to tell.
enum Event {
    /// Bytes of stdout (0) or stderr (1).
    Output(usize, Vec<u8>),
    /// The end of one of them.
    Closed,
    /// The end of the child.
    Exited(io::Result<ExitStatus>),
}

/// What became of a child.
#[derive(Default)]
struct Ended {
    status: Option<ExitStatus>,
    output: [Vec<u8>; 2],
    /// Why it was killed, as Node names it.
    killed: Option<&'static str>,
}

pub(super) fn spawn_sync<'js>(ctx: Ctx<'js>, mut options: SyncOptions) -> Result<Object<'js>> {
    options.child.check(&ctx)?;
    options.child.make_room(&*host(&ctx)?);
    let started = options.child.start(|mut command| command.spawn());
    let child = match started {
        Ok(child) => child,
        Err(error) => return failed(&ctx, &error),
    };
    let pid = child.id();
    children::add(pid);
    let has_output = [child.stdout.is_some(), child.stderr.is_some()];
    // The script stands still meanwhile: nobody else can end the run in time.
    let latest = EventLoop::of(&ctx)?.latest();
    let ended = watch(child, &options, latest);
    children::remove(pid);
    let object = Object::new(ctx)?;
    object.set("pid", pid)?;
    if let Some(code) = ended.killed {
        object.set("code", code)?;
        object.set("number", if code == "ETIMEDOUT" { TIMED_OUT } else { NO_BUFFER_SPACE })?;
    }
    let (status, signal) = ended.status.map_or((None, None), outcome);
    object.set("status", status)?;
    object.set("signal", signal)?;
    for ((name, bytes), exists) in ["stdout", "stderr"].into_iter().zip(ended.output).zip(has_output) {
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

/// Waits for the child's end and the end of its output, and kills it when it takes too long or says too much. At `latest` it
/// is killed in any case, whatever it makes of its signal.
fn watch(mut child: Child, options: &SyncOptions, latest: Option<Instant>) -> Ended {
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
        // A child that does not read all of it is no failure.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
    thread::spawn(move || drop(sender.send(Event::Exited(child.wait()))));
    let mut ended = Ended::default();
    let mut exited = false;
    // Once it is killed, what it started may hold on to the pipes for as long as it likes.
    while !exited || (open > 0 && ended.killed.is_none()) {
        let deadline = deadline.filter(|_| ended.killed.is_none());
        match next(&events, deadline.into_iter().chain(latest).min()) {
            Some(Event::Output(index, bytes)) => {
                ended.output[index].extend_from_slice(&bytes);
                let length = ended.output.iter().map(Vec::len).sum::<usize>();
                if length as f64 > options.max_buffer && ended.killed.is_none() {
                    ended.killed = Some("ENOBUFS");
                    end(pid, options.kill_signal, exited);
                }
            }
            Some(Event::Closed) => open -= 1,
            Some(Event::Exited(status)) => {
                exited = true;
                ended.status = status.ok();
            }
            None => {
                ended.killed = Some("ETIMEDOUT");
                if latest.is_some_and(|latest| Instant::now() >= latest) {
                    end(pid, KILL, exited);
                    break;
                }
                end(pid, options.kill_signal, exited);
            }
        }
    }
    ended
}

fn end(pid: i32, signal: i32, exited: bool) {
    if !exited {
        // It may have ended this moment.
        let _ = kill(pid, signal);
    }
}

/// The next thing that happens; `None` when the time is over.
fn next(events: &Receiver<Event>, deadline: Option<Instant>) -> Option<Event> {
    let Some(deadline) = deadline else { return events.recv().ok() };
    events.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

fn boxed<'a>(pipe: impl Read + Send + 'a) -> Box<dyn Read + Send + 'a> {
    Box::new(pipe)
}

fn read_all(index: usize, mut pipe: impl Read, sender: &Sender<Event>) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match pipe.read(&mut buffer) {
            Ok(count) if count > 0 => {
                // Nobody waits for it any more when the child was killed.
                if sender.send(Event::Output(index, buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    let _ = sender.send(Event::Closed);
}
