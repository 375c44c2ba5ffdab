//! Waiting for other processes and threads.

use std::{
    fmt::Display,
    process::{Child, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// How long a test waits on a busy machine for what takes milliseconds on a quiet one.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Polls until `holds` returns true. Panics with `what` after [`PATIENCE`].
pub(crate) fn wait_until<D: Display>(what: D, holds: impl FnMut() -> bool) {
    wait_within(PATIENCE, || format!("{what} did not happen"), holds);
}

/// Polls until `holds` returns true. Panics with `message()` after `limit`.
pub(crate) fn wait_within(limit: Duration, message: impl Fn() -> String, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < limit, "{}", message());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits for the end of a process. Kills it and panics with `message()` after [`PATIENCE`].
pub(crate) fn wait_for_exit(child: &mut Child, message: impl Fn() -> String) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("the process did not end: {}", message());
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A process that is killed when the test ends, also when it fails.
pub(crate) struct KilledOnDrop(pub Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
