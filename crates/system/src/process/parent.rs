//! Ends this process when its parent ends.

#[cfg(unix)]
use std::{thread, time::Duration};

/// How often the parent is checked, where the system does not report its end.
#[cfg(unix)]
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Ends this process when its parent ends.
#[cfg(target_os = "linux")]
pub fn exit_with_parent() {
    // The kernel watches the thread that started this process, which waits for it. A failure is ignored: the process then only
    // outlives its parent.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
}

#[cfg(not(target_os = "linux"))]
pub fn exit_with_parent() {}

/// Ends this process when the parent with this process id ends.
#[cfg(unix)]
pub fn exit_with_parent_id(parent: u32) {
    exit_with_parent();
    let is_alive = move || {
        let now = rustix::process::getppid();
        now.is_some_and(|now| now.as_raw_nonzero().get().cast_unsigned() == parent)
    };
    let end = || {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
    };
    // The parent may have ended before the call.
    if !is_alive() {
        end();
    } else if cfg!(not(target_os = "linux")) {
        // Elsewhere the parent has to be polled. Without a thread, this process ends at its next write to a closed pipe.
        let _ = thread::Builder::new().spawn(move || {
            while is_alive() {
                thread::sleep(POLL_INTERVAL);
            }
            end();
        });
    }
}

#[cfg(not(unix))]
pub fn exit_with_parent_id(_parent: u32) {}
