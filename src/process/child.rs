//! Ending a process that we have started: it is asked, waited for, and killed when it does not listen.

use std::time::Duration;

use tokio::{process::Child, time::timeout};

/// The signal that asks a process to end.
pub(crate) const TERMINATE: i32 = 15;

/// Asks a process to end, by a signal. Where there are no signals, it is killed.
#[cfg(unix)]
pub(crate) fn ask_to_end(child: &mut Child, signal: i32) {
    use rustix::process::{Pid, Signal, kill_process};
    // No number any more when it has ended.
    let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
    if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
        // One that is gone by now needs no signal.
        let _ = kill_process(pid, signal);
    }
}

/// Asks a process to end, by a signal. Where there are no signals, it is killed.
#[cfg(not(unix))]
pub(crate) fn ask_to_end(child: &mut Child, _signal: i32) {
    // One that is gone by now needs no killing.
    let _ = child.start_kill();
}

/// Ends a process, and waits until it is gone: it is asked by a signal, and killed when it is still there after `patience`.
pub(crate) async fn end(child: &mut Child, signal: i32, patience: Duration) {
    ask_to_end(child, signal);
    if timeout(patience, child.wait()).await.is_err() {
        // One that is gone by now needs no killing.
        let _ = child.kill().await;
    }
}
