//! Signals that scripts send and listen to (`process.on('SIGINT')`).
//!
//! The command line receives all signals on a thread of its own; it calls [`take_signal`] before it ends the program.

use std::{
    io,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rquickjs::{Ctx, Function, Object, Result};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::results::failure_object;
use crate::gate;

/// Installs a handler for one more signal.
type Receive = Box<dyn Fn(i32) -> io::Result<()> + Send + Sync>;

/// One bit for each signal that a script listens to.
static LISTENED: AtomicU64 = AtomicU64::new(0);

/// Set by the command line only.
static RECEIVE: OnceLock<Receive> = OnceLock::new();

/// Channel to the engine whose script listens.
static LISTENER: Mutex<Option<UnboundedSender<i32>>> = Mutex::new(None);

fn bit(signal: i32) -> u64 {
    u32::try_from(signal).ok().and_then(|signal| 1_u64.checked_shl(signal)).unwrap_or(0)
}

/// Sets the function that installs handlers for signals other than those that end the program.
pub fn receive_signals(receive: impl Fn(i32) -> io::Result<()> + Send + Sync + 'static) {
    // Set once, by the command line.
    let _ = RECEIVE.set(Box::new(receive));
}

/// Passes a signal to the script that listens to it; returns whether one does. Checked here because the last listener
/// may be removed before the script handles the signal.
pub fn take_signal(signal: i32) -> bool {
    let listener = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
    let is_listened = LISTENED.load(Ordering::Relaxed) & bit(signal) != 0;
    is_listened && listener.as_ref().is_some_and(|listener| listener.send(signal).is_ok())
}

/// Adds `listen(signal)`, `ignore(signal)` and `onSignal(deliver)`.
pub(super) fn exports<'js>(exports: &Object<'js>) -> Result<()> {
    let ctx = exports.ctx();
    // listen(signal): undefined, or {code, number} if it fails.
    let listen = |ctx: Ctx<'js>, signal: i32| {
        // Signals belong to the process: a restricted script cannot listen to them.
        if !gate::may_change_process(&ctx) {
            return Ok(None);
        }
        match receive(signal) {
            Ok(()) => {
                LISTENED.fetch_or(bit(signal), Ordering::Relaxed);
                Ok(None)
            }
            Err(error) => failure_object(&ctx, &error).map(Some),
        }
    };
    exports.set("listen", Function::new(ctx.clone(), listen)?)?;
    let ignore = |ctx: Ctx<'js>, signal: i32| {
        if gate::may_change_process(&ctx) {
            LISTENED.fetch_and(!bit(signal), Ordering::Relaxed);
        }
    };
    exports.set("ignore", Function::new(ctx.clone(), ignore)?)?;
    // onSignal(deliver): `deliver(signal)` is called for each signal.
    let on_signal = |ctx: Ctx<'js>, deliver: Function<'js>| {
        if !gate::may_change_process(&ctx) {
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
        // `deliver` only queues the listeners and cannot fail.
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

/// kill(2): to a process, or to a group when `pid` is negative. Signal 0 only tests for existence.
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

/// Blocks after sending itself a fatal signal: the system may deliver it on another thread, and no script code may run
/// until then.
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
