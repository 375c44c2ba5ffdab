//! Signals: those that scripts send, and those they listen to (`process.on('SIGINT')`).
//!
//! The command line receives all signals, on a thread of its own; it asks [`take_signal`] before it ends the program.

use std::{
    io,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rquickjs::{Ctx, Function, Object, Result};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::outcome::failed;
use crate::script::gate;

/// Has the command line receive one more signal.
type Receive = Box<dyn Fn(i32) -> io::Result<()> + Send + Sync>;

/// One bit for each signal that a script listens to now. Of the process, as signals are.
static LISTENED: AtomicU64 = AtomicU64::new(0);

/// Who receives signals; nobody outside of the command line.
static RECEIVE: OnceLock<Receive> = OnceLock::new();

/// The way to the engine whose script listens.
static LISTENER: Mutex<Option<UnboundedSender<i32>>> = Mutex::new(None);

fn bit(signal: i32) -> u64 {
    u32::try_from(signal).ok().and_then(|signal| 1_u64.checked_shl(signal)).unwrap_or(0)
}

/// Tells how signals besides those that end the program come to be received.
pub(crate) fn receive_signals(receive: impl Fn(i32) -> io::Result<()> + Send + Sync + 'static) {
    // Set once, by the one command line of the program.
    let _ = RECEIVE.set(Box::new(receive));
}

/// Hands a signal to the script that listens to it; says whether one does. Decided here alone: by the time a listener runs
/// it may be the last.
pub(crate) fn take_signal(signal: i32) -> bool {
    let listener = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
    let is_listened = LISTENED.load(Ordering::Relaxed) & bit(signal) != 0;
    is_listened && listener.as_ref().is_some_and(|listener| listener.send(signal).is_ok())
}

/// Adds `listen(signal)`, `ignore(signal)` and `onSignal(deliver)`.
pub(super) fn exports<'js>(exports: &Object<'js>) -> Result<()> {
    let ctx = exports.ctx();
    // listen(signal): nothing, or {code, number} when that cannot be.
    let listen = |ctx: Ctx<'js>, signal: i32| {
        // Signals are the process's: a script that may not change it listens to none.
        if !gate::owns_process(&ctx) {
            return Ok(None);
        }
        match receive(signal) {
            Ok(()) => {
                LISTENED.fetch_or(bit(signal), Ordering::Relaxed);
                Ok(None)
            }
            Err(error) => failed(&ctx, &error).map(Some),
        }
    };
    exports.set("listen", Function::new(ctx.clone(), listen)?)?;
    let ignore = |ctx: Ctx<'js>, signal: i32| {
        if gate::owns_process(&ctx) {
            LISTENED.fetch_and(!bit(signal), Ordering::Relaxed);
        }
    };
    exports.set("ignore", Function::new(ctx.clone(), ignore)?)?;
    // onSignal(deliver): `deliver(signal)` is called for each that comes.
    let on_signal = |ctx: Ctx<'js>, deliver: Function<'js>| {
        if !gate::owns_process(&ctx) {
            return;
        }
        let (sender, receiver) = unbounded_channel();
        LISTENER.lock().unwrap_or_else(PoisonError::into_inner).replace(sender);
        ctx.spawn(forward(receiver, deliver));
    };
    exports.set("onSignal", Function::new(ctx.clone(), on_signal)?)
}

async fn forward(mut signals: UnboundedReceiver<i32>, deliver: Function<'_>) {
    while let Some(signal) = signals.recv().await {
        // It only has the loop call the listeners; there is nothing in it that could fail.
        let _ = deliver.call::<_, ()>((signal,));
    }
}

fn receive(signal: i32) -> io::Result<()> {
    #[cfg(unix)]
    if signal_hook::consts::FORBIDDEN.contains(&signal) {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    RECEIVE.get().map_or(Ok(()), |receive| receive(signal))
}

/// Sends a signal as kill(2) does: to a process, to a group when `pid` is negative, to nobody when `signal` is 0.
#[cfg(unix)]
pub(super) fn kill(pid: i32, signal: i32) -> io::Result<()> {
    use rustix::process as system;
    let group = pid < 0;
    let target = system::Pid::from_raw(pid.saturating_abs());
    let result = if signal == 0 {
        match target {
            Some(target) if group => system::test_kill_process_group(target),
            Some(target) => system::test_kill_process(target),
            None => system::test_kill_current_process_group(),
        }
    } else {
        let invalid = || io::Error::from_raw_os_error(libc::EINVAL);
        let signal = system::Signal::from_named_raw(signal).ok_or_else(invalid)?;
        match target {
            Some(target) if group => system::kill_process_group(target, signal),
            Some(target) => system::kill_process(target, signal),
            None => system::kill_current_process_group(signal),
        }
    };
    result?;
    if !group && target == Some(system::getpid()) {
        wait_for_end(signal);
    }
    Ok(())
}

/// After a signal that nothing survives: the system may hand it to another thread, and no script goes on until that has ended
/// the process.
#[cfg(unix)]
fn wait_for_end(signal: i32) {
    let is_end = signal == libc::SIGKILL || signal == libc::SIGABRT;
    if is_end && LISTENED.load(Ordering::Relaxed) & bit(signal) == 0 {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

#[cfg(not(unix))]
pub(super) fn kill(_pid: i32, _signal: i32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
