//! Ends this process when its parent ends.

#[cfg(unix)]
use std::{os::unix::process::parent_id, thread, time::Duration};

/// The environment variable in which the parent requests that this process ends with it: the parent's process id.
/// Children of this process inherit the variable, but have another parent.
pub const PARENT_VARIABLE: &str = "LMTHING_PARENT_PID";

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
    let is_alive = move || parent_id() == parent;
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

/// Ends this process when its parent ends, if that is requested in [`PARENT_VARIABLE`].
#[cfg(unix)]
pub fn exit_with_parent_of_variable() {
    let requested = std::env::var(PARENT_VARIABLE).ok().and_then(|value| value.parse().ok());
    if requested == Some(parent_id()) {
        exit_with_parent_id(parent_id());
    }
}

#[cfg(not(unix))]
pub fn exit_with_parent_of_variable() {}
