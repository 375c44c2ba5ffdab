//! Waiting for other processes that keep the file locked.

use std::{
    cell::{Cell, OnceCell},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a command waits. A write takes less than a millisecond; deleting runs takes longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// After this time the wait of a run is worth a message.
const NOTICE_TIME: Duration = Duration::from_secs(3);

const MAX_PAUSE: Duration = Duration::from_millis(25);

thread_local! {
    static BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
    static NOTICE: OnceCell<LockNotice> = const { OnceCell::new() };
}

/// Set once a thread that writes a run has waited for some seconds. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct LockNotice(Arc<AtomicBool>);

impl LockNotice {
    /// From now on this thread waits without limit for files that are locked.
    pub(super) fn wait_on_this_thread(self) {
        let _ = NOTICE.with(|notice| notice.set(self));
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// SQLite calls this after each failed attempt to lock a file, with the number of attempts before. Returns whether to try again.
pub(super) fn wait(attempts: i32) -> bool {
    let now = Instant::now();
    let began = BEGAN.get().filter(|_| attempts > 0).unwrap_or(now);
    BEGAN.set(Some(began));
    let waited = now.duration_since(began);
    let goes_on = NOTICE.with(|notice| match notice.get() {
        Some(LockNotice(is_set)) => {
            is_set.fetch_or(waited >= NOTICE_TIME, Ordering::Relaxed);
            true
        }
        None => waited < PATIENCE,
    });
    if goes_on {
        thread::sleep(Duration::from_millis(1).saturating_mul(attempts.unsigned_abs().max(1)).min(MAX_PAUSE));
    }
    goes_on
}
