//! Ends a child process: by a signal, and by killing it after a timeout.

use std::time::Duration;

use tokio::{process::Child, time::timeout};

pub const SIGTERM: i32 = 15;

/// Sends a signal to a process. Where there are no signals, it is killed.
#[cfg(unix)]
pub fn send_signal(child: &mut Child, signal: i32) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
    if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
        // It may have ended meanwhile.
        let _ = kill_process(pid, signal);
    }
}

#[cfg(not(unix))]
pub fn send_signal(child: &mut Child, _signal: i32) {
    // It may have ended meanwhile.
    let _ = child.start_kill();
}

/// Sends a signal, and kills the process if it is still alive after `patience`. Waits for its end.
pub async fn end_process(child: &mut Child, signal: i32, patience: Duration) {
    send_signal(child, signal);
    if timeout(patience, child.wait()).await.is_err() {
        // It may have ended meanwhile.
        let _ = child.kill().await;
    }
}
