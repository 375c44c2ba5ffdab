//! Notices the end of the process that started the server.

use std::{thread::sleep, time::Duration};

use lmthing_system::threads::ThreadOptions;

const INTERVAL: Duration = Duration::from_secs(1);

/// Calls `gone` when the process has ended.
pub(crate) fn watch(process: i32, gone: impl FnOnce() + Send + 'static) {
    // Without a thread, the end of the input ends the server.
    let _ = ThreadOptions { name: "lmthing-parent", stack_size: 256 << 10 }.spawn(move || {
        while is_alive(process) {
            sleep(INTERVAL);
        }
        gone();
    });
}

#[cfg(unix)]
fn is_alive(process: i32) -> bool {
    use rustix::{
        io::Errno,
        process::{Pid, test_kill_process},
    };
    let Some(pid) = Pid::from_raw(process) else { return true };
    test_kill_process(pid) != Err(Errno::SRCH) && !is_zombie(process)
}

/// Whether the process has ended and only its parent has not noticed.
#[cfg(unix)]
fn is_zombie(process: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
}

/// Elsewhere the end of the input ends the server.
#[cfg(not(unix))]
fn is_alive(_process: i32) -> bool {
    true
}
