//! Ending with the process that has started us, however that ends.

#[cfg(unix)]
use std::{thread, time::Duration};

/// How often is looked whether that process is there, where the system does not tell.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(500);

/// Has this process end with the one that has started it.
#[cfg(target_os = "linux")]
pub(crate) fn end_with_parent() {
    // The system looks at the thread that has started us: the one that waits for us. A process that it cannot end so is no
    // worse than any other whose terminal is gone.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
}

/// Has this process end with the one that has started it: elsewhere nobody tells.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_with_parent() {}

/// Has this process end with the one of this number, which has started it.
#[cfg(unix)]
pub(crate) fn end_with(parent: u32) {
    end_with_parent();
    let is_there = move || {
        let now = rustix::process::getppid();
        now.is_some_and(|now| now.as_raw_nonzero().get().cast_unsigned() == parent)
    };
    let end = || {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
    };
    // It may have ended just before.
    if !is_there() {
        end();
    } else if cfg!(not(target_os = "linux")) {
        // Elsewhere nobody tells. A process that cannot be ended so ends when it has something to say.
        let _ = thread::Builder::new().spawn(move || {
            while is_there() {
                thread::sleep(LOOK);
            }
            end();
        });
    }
}

/// Has this process end with the one of this number, which has started it: elsewhere nobody tells.
#[cfg(not(unix))]
pub(crate) fn end_with(_parent: u32) {}
